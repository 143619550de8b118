import type { Bearer } from '../lib/bearer.ts'

export type Verification = Verified<{ readonly subject: string }>

/** The result of checking a token. If the token is valid, the result contains all its claims. */
export type ClaimsVerification = Verified<{ readonly claims: Claims }>

export type Claims = Readonly<Record<string, unknown>>

type Verified<T> =
  | ({ readonly kind: 'ok' } & T)
  /** The request has no bearer token. */
  | { readonly kind: 'missing' }
  /**
   * The token is invalid. `reason` names the check that failed. It is for the log, and contains nothing from
   * the token.
   */
  | { readonly kind: 'invalid'; readonly reason: string }
  /** The keys are not available now, so the token cannot be checked. */
  | { readonly kind: 'unavailable'; readonly reason: string }

export interface Verifier {
  /** Checks the token and returns the user that it names. Never rejects. */
  verify(bearer: Bearer): Promise<Verification>
}

export interface ClaimsVerifier {
  /** Checks the token and returns all its claims, for code that needs more than the user. Never rejects. */
  claims(bearer: Bearer): Promise<ClaimsVerification>
}
