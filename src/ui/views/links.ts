import { html } from 'hono/html'
import type { LookupInput, Way } from '../model.ts'
import { clipped, type Html } from './text.ts'

export function lookupAddress({ by, text, ask, strict }: LookupInput): string {
  const query = { by, q: text, ...(ask === undefined ? {} : { ask }), ...(strict ? { votes: '2f+1' } : {}) }
  return `./?${new URLSearchParams(query).toString()}#answer`
}

/**
 * @param since the earliest time at which the answer may have been agreed: milliseconds since 1970
 * UTC.
 * @param mark the `answerMark` of the shown answer. If the answer has changed, the daemon gives no
 * receipt.
 */
export function receiptAddress(
  { by, text }: Pick<LookupInput, 'by' | 'text'>,
  since: number,
  mark: string,
): string {
  const query = { by, q: text, at: String(Math.floor(since)), mark }
  return `ui/receipt?${new URLSearchParams(query).toString()}`
}

export function lookupLink(by: Way, text: string, says = clipped(text)): Html {
  return html`<a href="${lookupAddress({ by, text, ask: undefined, strict: false })}">${says}</a>`
}
