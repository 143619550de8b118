/**
 * The cause of an error that a caller gets for a token that is invalid, or that cannot be checked
 * now. The message is a verifier's reason, for the log.
 */
export class RefusedToken extends Error {
  override readonly name = 'RefusedToken'
}
