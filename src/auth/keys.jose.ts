import { createRemoteJWKSet, customFetch, errors, type RemoteJWKSet } from 'jose'
import { type Clock, milliseconds } from '../lib/clock.ts'

/**
 * The maximum age of keys in milliseconds, as in Splice. Older keys are fetched again before they are used.
 */
const cacheMaxAge = milliseconds('24h')
/** The minimum time between two fetches of the keys, in milliseconds, as in Splice. */
const pauseMs = milliseconds('6s')
const timeoutDuration = milliseconds('10s')

/** Thrown if the key set cannot be fetched, or if the response is not a key set. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable'
}

class Paused extends Error {}

/**
 * The public keys that a URL serves. A token with an unknown key id causes a new fetch. At most one fetch
 * starts in six seconds, even if it fails, so that neither made-up key ids nor an outage can cause a storm of
 * fetches.
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
        return fetch(url, options)
      },
    })
  }

  /**
   * Returns the public key that a token's header selects.
   * @throws errors.JWKSNoMatchingKey, errors.JWKSMultipleMatchingKeys, KeysUnavailable
   */
  async find(...[header, token]: Parameters<RemoteJWKSet>): ReturnType<RemoteJWKSet> {
    try {
      return await this.#jwks(header, token)
    } catch (error) {
      throw this.#explained(error)
    }
  }

  /**
   * Fetches the keys, even within six seconds of the last fetch. Resolves with undefined if the fetch succeeds. If it
   * fails, resolves with the reason, and the keys of the last successful fetch stay in use.
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
