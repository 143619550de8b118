import { errors, type JWTVerifyGetKey, type JWTVerifyOptions, jwtVerify } from 'jose'
import { type Clock, systemClock } from '../lib/clock.ts'
import { KeysUnavailable, RemoteKeys } from './keys.jose.ts'
import { subjectOf } from './subject.ts'
import type { ClaimsVerification, ClaimsVerifier, Verification, Verifier } from './verifier.ts'

export interface JoseVerifierOptions {
  /** The `iss` that tokens must have; any where it is undefined. */
  readonly issuer?: string | undefined
  /** What `aud` must be or contain; anything where it is undefined. */
  readonly audience?: string | undefined
  /** Where the keys of RS256 and ES256 tokens are; without it such tokens are invalid. */
  readonly jwksUrl?: string | undefined
  /** The key of HS256 tokens; without it such tokens are invalid. */
  readonly unsafeSecret?: string | undefined
}

/**
 * Checks JSON Web Tokens as Splice does: signature, issuer, audience, and `exp` and `nbf` to the second. Which key
 * belongs to which algorithm is set here and never by the token, so that a public key is no secret of HS256.
 */
export class JoseVerifier implements Verifier, ClaimsVerifier {
  readonly #rules: JWTVerifyOptions
  readonly #secret: Uint8Array | undefined
  readonly #keys: RemoteKeys | undefined
  readonly #clock: Clock

  constructor(options: JoseVerifierOptions, { clock = systemClock }: { readonly clock?: Clock } = {}) {
    const { issuer, audience, jwksUrl, unsafeSecret } = options
    this.#clock = clock
    this.#secret = unsafeSecret === undefined ? undefined : new TextEncoder().encode(unsafeSecret)
    this.#keys = jwksUrl === undefined ? undefined : new RemoteKeys(jwksUrl, clock)
    this.#rules = {
      algorithms: [...(this.#keys ? ['RS256', 'ES256'] : []), ...(this.#secret ? ['HS256'] : [])],
      ...(issuer !== undefined && { issuer }),
      ...(audience !== undefined && { audience }),
    }
  }

  async verify(authorization: string | undefined): Promise<Verification> {
    const verified = await this.claims(authorization)
    if (verified.kind !== 'ok') return verified
    const subject = subjectOf(verified.claims)
    return subject === undefined ? { kind: 'invalid', reason: 'names no user' } : { kind: 'ok', subject }
  }

  async claims(authorization: string | undefined): Promise<ClaimsVerification> {
    const [scheme, token = ''] = (authorization ?? '').trim().split(/ +(.*)/s)
    if (scheme?.toLowerCase() !== 'bearer' || token === '') return { kind: 'missing' }
    try {
      const rules = { ...this.#rules, currentDate: new Date(this.#clock.wall()) }
      const { payload } = await jwtVerify(token, this.#keyOf, rules)
      return { kind: 'ok', claims: payload }
    } catch (error) {
      if (error instanceof KeysUnavailable) return { kind: 'unavailable', reason: error.message }
      return { kind: 'invalid', reason: reasonOf(error) }
    }
  }

  readonly #keyOf: JWTVerifyGetKey = (header, token) => {
    const key = header.alg === 'HS256' ? this.#secret : this.#keys?.find(header, token)
    if (key === undefined) throw new errors.JOSEAlgNotAllowed()
    return key
  }
}

function reasonOf(error: unknown): string {
  return error instanceof errors.JOSEError ? `${error.code}: ${error.message}` : 'cannot be read'
}
