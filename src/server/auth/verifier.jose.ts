import {
  createRemoteJWKSet,
  customFetch,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
  type RemoteJWKSet,
} from 'jose'
import { type Bearer, longestToken } from '../../base/lib/bearer.ts'
import { type Clock, milliseconds, systemClock } from '../../base/lib/clock.ts'
import type { Verification, Verifier } from './verifier.ts'

/** Splice puts the ledger user into this claim of a token. */
const splice = 'https://canton-network'

export interface JoseVerifierOptions {
  /** If this issuer or this audience is undefined, a token may have any. */
  readonly issuer?: string | undefined
  readonly audience?: string | undefined
  /** RS256 and ES256 tokens are valid only with this URL, HS256 tokens only with `unsafeSecret`. */
  readonly jwksUrl?: string | undefined
  readonly unsafeSecret?: string | undefined
}

/**
 * Checks JSON Web Tokens as Splice does, with no tolerance for the times `exp` and `nbf`. HS256
 * tokens are checked only with the secret. Otherwise a caller could sign one with a public key as
 * the secret.
 */
export class JoseVerifier implements Verifier {
  readonly #rules: JWTVerifyOptions
  readonly #secret: Promise<CryptoKey> | undefined
  readonly #keys: RemoteKeys | undefined
  readonly #clock: Clock

  constructor(options: JoseVerifierOptions, { clock = systemClock }: { readonly clock?: Clock } = {}) {
    const { issuer, audience, jwksUrl, unsafeSecret } = options
    this.#clock = clock
    this.#secret = unsafeSecret === undefined ? undefined : hmacKey(unsafeSecret)
    this.#keys = jwksUrl === undefined ? undefined : new RemoteKeys(jwksUrl, clock)
    this.#rules = {
      algorithms: [...(this.#keys ? ['RS256', 'ES256'] : []), ...(this.#secret ? ['HS256'] : [])],
      ...(issuer !== undefined && { issuer }),
      ...(audience !== undefined && { audience }),
    }
  }

  async verify(bearer: Bearer): Promise<Verification> {
    switch (bearer.kind) {
      case 'none':
      case 'empty':
        return { kind: 'missing' }
      case 'too-long':
        return { kind: 'invalid', reason: `is longer than ${longestToken} characters` }
      case 'token':
        return this.#verified(bearer.token)
    }
  }

  async refreshKeys(): Promise<string | undefined> {
    return this.#keys?.refresh()
  }

  async #verified(token: string): Promise<Verification> {
    try {
      const claims = await this.#claimsIn(token)
      const subject = subjectOf(claims)
      if (subject === undefined) return { kind: 'invalid', reason: 'names no user' }
      return { kind: 'ok', subject, claims }
    } catch (error) {
      if (error instanceof KeysUnavailable) return { kind: 'unavailable', reason: error.message }
      return { kind: 'invalid', reason: reasonOf(error) }
    }
  }

  async #claimsIn(token: string): Promise<JWTPayload> {
    const rules = { ...this.#rules, currentDate: new Date(this.#clock.wall()) }
    const { payload } = await jwtVerify(token, this.#keyOf, rules)
    for (const claim of ['exp', 'nbf', 'iat'] as const)
      if (Math.abs(payload[claim] ?? 0) > Number.MAX_SAFE_INTEGER)
        throw new errors.JWTClaimValidationFailed(`"${claim}" claim must be a time`, payload, claim)
    return payload
  }

  readonly #keyOf: JWTVerifyGetKey = (header, token) => {
    const key = header.alg === 'HS256' ? this.#secret : this.#keys?.find(header, token)
    if (key === undefined) throw new errors.JOSEAlgNotAllowed()
    return key
  }
}

/** Imports the secret once. From raw bytes, jose would import it again for each token. */
function hmacKey(secret: string): Promise<CryptoKey> {
  const bytes = new TextEncoder().encode(secret)
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

function reasonOf(error: unknown): string {
  // This error of jose quotes the token.
  if (error instanceof errors.JOSENotSupported) return error.code
  return error instanceof errors.JOSEError ? `${error.code}: ${error.message}` : 'cannot be read'
}

/** Returns the user id: `daml_user` in Splice's claim if it is there, else `sub`. */
export function subjectOf(claims: Readonly<Record<string, unknown>>): string | undefined {
  const own = claims[splice]
  const named = typeof own === 'object' && own !== null && Object.hasOwn(own, 'daml_user')
  const subject = named ? (own as { readonly daml_user: unknown }).daml_user : claims['sub']
  return typeof subject === 'string' && subject !== '' ? subject : undefined
}

/** Splice keeps keys for the same time, and lets the same `pauseMs` pass between two fetches. */
const cacheMaxAge = milliseconds('24h')
const pauseMs = milliseconds('6s')
const timeoutDuration = milliseconds('10s')

/** Large enough for thousands of keys. */
const mostBytes = 1_048_576

class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable'
}

class Paused extends Error {}

/**
 * The public keys that a URL serves. At most one fetch starts in six seconds, so that tokens with
 * made-up key ids cannot cause a storm of fetches.
 */
export class RemoteKeys {
  readonly #jwks: RemoteJWKSet
  #nextFetchAt = Number.NEGATIVE_INFINITY
  #failure: string | undefined

  constructor(url: string, clock: Clock) {
    this.#jwks = createRemoteJWKSet(new URL(url), {
      cacheMaxAge,
      cooldownDuration: 0,
      timeoutDuration,
      [customFetch]: (url, options) => {
        if (clock.now() < this.#nextFetchAt) return Promise.reject(new Paused())
        this.#nextFetchAt = clock.now() + pauseMs
        this.#failure = undefined
        return fetch(url, options).then(bounded)
      },
    })
  }

  /** @throws errors.JWKSNoMatchingKey, errors.JWKSMultipleMatchingKeys, KeysUnavailable */
  async find(...[header, token]: Parameters<RemoteJWKSet>): ReturnType<RemoteJWKSet> {
    try {
      return await this.#jwks(header, token)
    } catch (error) {
      throw this.#explained(error)
    }
  }

  /**
   * Fetches the keys even within six seconds of the last fetch. If the fetch fails, resolves with
   * the reason, and the old keys stay in use.
   */
  async refresh(): Promise<string | undefined> {
    this.#nextFetchAt = Number.NEGATIVE_INFINITY
    try {
      await this.#jwks.reload()
      return undefined
    } catch (error) {
      return describe(error)
    }
  }

  #explained(error: unknown): Error {
    if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys)
      return error
    if (error instanceof Paused && this.#failure === undefined) return new errors.JWKSNoMatchingKey()
    if (!(error instanceof Paused)) this.#failure = describe(error)
    return new KeysUnavailable(this.#failure)
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}

/** Returns the response with a body that fails where it is longer than any list of keys. */
function bounded(response: Response): Response {
  let left = mostBytes
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      left -= chunk.length
      if (left < 0) controller.error(new Error(`the keys have more than ${mostBytes} bytes`))
      else controller.enqueue(chunk)
    },
  })
  const { status, headers } = response
  return new Response(response.body?.pipeThrough(limit) ?? null, { status, headers })
}
