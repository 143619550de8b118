import { isDeepStrictEqual } from 'node:util'
import type { Bearer } from '../../base/lib/bearer.ts'

export type Claims = Readonly<Record<string, unknown>>

export type Verification =
  /** The subject is the user id. */
  | { readonly kind: 'ok'; readonly subject: string; readonly claims: Claims }
  | { readonly kind: 'missing' }
  /** The reason is for the log, and contains nothing from the token. */
  | { readonly kind: 'invalid'; readonly reason: string }
  | { readonly kind: 'unavailable'; readonly reason: string }

export interface Verifier {
  verify(bearer: Bearer): Promise<Verification>
}

interface LoadedVerifier extends Verifier {
  /**
   * Fetches the keys that verify tokens. Resolves with the reason of a failure; the old keys then
   * stay in use.
   */
  refreshKeys(): Promise<string | undefined>
}

/**
 * When the first token arrives, imports the package that checks tokens. A daemon that gets no token
 * never loads it.
 */
export class VerifierOnDemand<Options> implements Verifier {
  #options: Options
  readonly #load: (options: Options) => Promise<LoadedVerifier>
  #loaded: Promise<LoadedVerifier> | undefined

  constructor(options: Options, load: (options: Options) => Promise<LoadedVerifier>) {
    this.#options = options
    this.#load = load
  }

  get options(): Options {
    return this.#options
  }

  /**
   * Applies new options at once. If they are the same, fetches the keys that verify tokens again, and
   * resolves with the reason if that fails.
   */
  async reload(options: Options): Promise<string | undefined> {
    const isSame = isDeepStrictEqual(options, this.#options)
    this.#options = options
    if (isSame) return (await this.#loaded)?.refreshKeys()
    this.#loaded = undefined
    return undefined
  }

  async verify(bearer: Bearer): Promise<Verification> {
    return (await this.#verifier()).verify(bearer)
  }

  #verifier(): Promise<LoadedVerifier> {
    if (this.#loaded !== undefined) return this.#loaded
    const loaded = this.#load(this.#options)
    this.#loaded = loaded
    // After a failed import, the next token tries again.
    loaded.catch(() => {
      if (this.#loaded === loaded) this.#loaded = undefined
    })
    return loaded
  }
}
