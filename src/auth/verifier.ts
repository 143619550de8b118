import type { Bearer } from '../lib/bearer.ts'

/** What a token came to. */
export type Verification = Verified<{ readonly subject: string }>

/** The same, with all that a valid token says. */
export type ClaimsVerification = Verified<{ readonly claims: Claims }>

export type Claims = Readonly<Record<string, unknown>>

type Verified<T> =
  | ({ readonly kind: 'ok' } & T)
  /** No bearer token was given. */
  | { readonly kind: 'missing' }
  /** `reason` is for the log: it names what failed, never what the token holds. */
  | { readonly kind: 'invalid'; readonly reason: string }
  /** The keys to check it with cannot be had now, so nothing is said about the token. */
  | { readonly kind: 'unavailable'; readonly reason: string }

/** Says who is calling. */
export interface Verifier {
  /** Never rejects. */
  verify(bearer: Bearer): Promise<Verification>
}

/** Says what callers' tokens say. */
export interface ClaimsVerifier {
  /** As `Verifier.verify`, for whoever takes more than the user from a token. */
  claims(bearer: Bearer): Promise<ClaimsVerification>
}
