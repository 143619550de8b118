import { html } from 'hono/html'
import type { LookupInput } from '../model.ts'
import { lookupLink } from './links.ts'
import type { Html } from './text.ts'

/** The fingerprint in a party id: `1220`, which stands for SHA-256, and 32 bytes in hex. */
const fingerprint = /::1220[0-9a-f]{64}$/

/**
 * Shows that an input which nobody has is an incomplete name or party, and what the visitor may have meant. Empty
 * if the input is complete.
 * @param acronym the acronym of the name service. Undefined if it is unknown.
 */
export function absenceHint({ by, text }: LookupInput, acronym: string | undefined): Html {
  if (by === 'party' && !fingerprint.test(text))
    return html`<p class="sentence">This is no complete party: after :: a party has 1220 and 64 hex digits.</p>`
  if (by !== 'name' || text.includes('.')) return html``
  const complete = acronym === undefined ? undefined : `${text}.unverified.${acronym}`
  return html`<p class="sentence">This is no complete name${complete !== undefined && html`: names look like ${lookupLink('name', complete)}`}. ${lookupLink('prefix', text, 'Look for names that begin so')}.</p>`
}
