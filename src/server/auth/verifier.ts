import type { Bearer } from '../../base/lib/bearer.ts'

export type Claims = Readonly<Record<string, unknown>>

export type Verification =
  /** The subject is the user id. */
  | { readonly kind: 'ok'; readonly subject: string; readonly claims: Claims }
  | { readonly kind: 'missing' }
  /** The reason is for the log, and contains nothing from the token. */
  | { readonly kind: 'invalid'; readonly reason: string }
  | { readonly kind: 'unavailable'; readonly reason: string }

export interface Verifier {
  verify(bearer: Bearer): Promise<Verification>
}
