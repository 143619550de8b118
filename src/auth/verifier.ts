import type { Bearer } from '../lib/bearer.ts'

export type Verification = Verified<{ readonly subject: string }>

/** The result with all claims of a valid token. */
export type ClaimsVerification = Verified<{ readonly claims: Claims }>

export type Claims = Readonly<Record<string, unknown>>

type Verified<T> =
  | ({ readonly kind: 'ok' } & T)
  /** The request has no bearer token. */
  | { readonly kind: 'missing' }
  /** `reason` is for the log. It names the failed check and contains nothing from the token. */
  | { readonly kind: 'invalid'; readonly reason: string }
  /** The keys are not available now, so the token is neither valid nor invalid. */
  | { readonly kind: 'unavailable'; readonly reason: string }

/** Identifies the caller. */
export interface Verifier {
  /** Never rejects. */
  verify(bearer: Bearer): Promise<Verification>
}

/** Returns the claims of the caller's token. */
export interface ClaimsVerifier {
  /** Works as `Verifier.verify`, for code that needs more than the user. */
  claims(bearer: Bearer): Promise<ClaimsVerification>
}
