import { createRemoteJWKSet, customFetch, errors, type RemoteJWKSet } from 'jose'
import { type Clock, milliseconds } from '../lib/clock.ts'

/** Splice keeps keys for the same time, and lets the same `pauseMs` pass between two fetches. */
const cacheMaxAge = milliseconds('24h')
const pauseMs = milliseconds('6s')
const timeoutDuration = milliseconds('10s')

/** Large enough for thousands of keys. */
const mostBytes = 1_048_576

export class KeysUnavailable extends Error {
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
