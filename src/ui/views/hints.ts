import { html } from 'hono/html'
import type { LookupInput } from '../model.ts'
import { lookupLink } from './links.ts'
import { foreign, type Html } from './text.ts'

/** A fingerprint begins with 1220 for SHA-256, and 32 bytes in hex follow. */
const fingerprint = /::1220[0-9a-f]{64}$/

/** What the visitor may have meant, where nobody has a name or a party because the input is incomplete. */
export function absenceHint({ by, text }: LookupInput): Html {
  if (by === 'party' && !fingerprint.test(text))
    return html`<p class="sentence">This is no complete party: after :: a party has 1220 and 64 hex digits.</p>`
  if (by !== 'name' || text.includes('.')) return html``
  return html`<p class="sentence">This is no complete name: names look like ${foreign(text)}.unverified.cns. ${lookupLink('prefix', text, 'Look for names that begin so')}.</p>`
}
