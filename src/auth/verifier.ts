/** What a token came to. */
export type Verification =
  | { readonly kind: 'ok'; readonly subject: string }
  /** No bearer token was given. */
  | { readonly kind: 'missing' }
  /** `reason` is for the log: it names what failed, never what the token holds. */
  | { readonly kind: 'invalid'; readonly reason: string }
  /** The keys to check it with cannot be had now, so nothing is said about the token. */
  | { readonly kind: 'unavailable'; readonly reason: string }

/** Says who is calling. */
export interface Verifier {
  /**
   * Never rejects.
   * @param authorization the value of the `Authorization` header.
   */
  verify(authorization: string | undefined): Promise<Verification>
}
