import type { Bearer } from '../lib/bearer.ts'

export type Verification = Verified<{ readonly subject: string }>

/** The result of checking a token; if it is valid, with all its claims. */
export type ClaimsVerification = Verified<{ readonly claims: Claims }>

export type Claims = Readonly<Record<string, unknown>>

type Verified<T> =
  | ({ readonly kind: 'ok' } & T)
  /** The request has no bearer token. */
  | { readonly kind: 'missing' }
  /** `reason` is for the log. It says which check failed and contains nothing from the token. */
  | { readonly kind: 'invalid'; readonly reason: string }
  /** The keys are not available now, so the token is neither valid nor invalid. */
  | { readonly kind: 'unavailable'; readonly reason: string }

/** Identifies the caller. */
export interface Verifier {
  /** Checks the token and returns its user. Never rejects. */
  verify(bearer: Bearer): Promise<Verification>
}

/** Returns the claims of the caller's token. */
export interface ClaimsVerifier {
  /** Checks the token and returns all its claims, for code that needs more than the user. Never rejects. */
  claims(bearer: Bearer): Promise<ClaimsVerification>
}
