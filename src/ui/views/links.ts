import { html } from 'hono/html'
import type { LookupInput, Way } from '../model.ts'
import { clipped, type Html } from './text.ts'

export function lookupAddress({ by, text, ask, strict }: LookupInput): string {
  const query = { by, q: text, ...(ask === undefined ? {} : { ask }), ...(strict ? { votes: '2f+1' } : {}) }
  return `./?${new URLSearchParams(query).toString()}#answer`
}

export interface LinkedReceipt {
  /** The earliest time at which the answer may have been agreed: milliseconds since 1970 UTC. */
  readonly since: number
  /**
   * The `answerMark` of the answer that callers get. If it has changed, the daemon gives no
   * receipt.
   */
  readonly mark: string
  /** The id of the kept receipt of the shown vote, which takes precedence. */
  readonly kept: string | undefined
}

export function receiptAddress(
  { by, text }: Pick<LookupInput, 'by' | 'text'>,
  { since, mark, kept }: LinkedReceipt,
): string {
  const query = {
    by,
    q: text,
    at: String(Math.floor(since)),
    mark,
    ...(kept !== undefined && { vote: kept }),
  }
  return `ui/receipt?${new URLSearchParams(query).toString()}`
}

export function svPath(name: string): string {
  return `sv/${encodeURIComponent(name)}`
}

export function svLink(name: string): Html {
  return html`<a href="${svPath(name)}">${clipped(name)}</a>`
}

export function lookupLink(by: Way, text: string, says = clipped(text)): Html {
  return html`<a href="${lookupAddress({ by, text, ask: undefined, strict: false })}">${says}</a>`
}
