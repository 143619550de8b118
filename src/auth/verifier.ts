import type { Bearer } from '../lib/bearer.ts'

export type Verification = Verified<{ readonly subject: string }>

export type ClaimsVerification = Verified<{ readonly claims: Claims }>

export type Claims = Readonly<Record<string, unknown>>

type Verified<T> =
  | ({ readonly kind: 'ok' } & T)
  | { readonly kind: 'missing' }
  /** The reason is for the log, and contains nothing from the token. */
  | { readonly kind: 'invalid'; readonly reason: string }
  | { readonly kind: 'unavailable'; readonly reason: string }

export interface Verifier {
  verify(bearer: Bearer): Promise<Verification>
}

export interface ClaimsVerifier {
  claims(bearer: Bearer): Promise<ClaimsVerification>
}
