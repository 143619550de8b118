import { html } from 'hono/html'
import type { LookupInput, Way } from '../model.ts'
import { clipped, type Html } from './text.ts'

/** Returns the address of a look-up, relative to the page. */
export function lookupAddress({ by, text, ask, strict }: LookupInput): string {
  const query = { by, q: text, ...(ask === undefined ? {} : { ask }), ...(strict ? { votes: '2f+1' } : {}) }
  return `./?${new URLSearchParams(query).toString()}#answer`
}

/**
 * Returns the address of the receipt of an answer, relative to the page.
 * @param since the receipt must be of an answer that was agreed at this time or later: milliseconds since 1970 UTC.
 */
export function receiptAddress({ by, text }: Pick<LookupInput, 'by' | 'text'>, since: number): string {
  return `ui/receipt?${new URLSearchParams({ by, q: text, at: String(Math.floor(since)) }).toString()}`
}

/**
 * Makes a link to the look-up of a name or a party.
 * @param says the text of the link; by default the name or party.
 */
export function lookupLink(by: Way, text: string, says = clipped(text)): Html {
  return html`<a href="${lookupAddress({ by, text, ask: undefined, strict: false })}">${says}</a>`
}
