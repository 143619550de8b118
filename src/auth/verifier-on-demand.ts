import type { Bearer } from '../lib/bearer.ts'
import type { ClaimsVerification, ClaimsVerifier, Verification, Verifier } from './verifier.ts'

type Loaded = Verifier & ClaimsVerifier & Pick<KeysRefresh, 'refreshKeys'>

/** Fetches again the public keys by which tokens are checked. */
export interface KeysRefresh {
  /** Fetches the keys. Resolves with undefined, or with the reason if the fetch fails; the known keys then stay. */
  refreshKeys(): Promise<string | undefined>
}

/**
 * Checks tokens with a verifier that is imported for the first caller who needs it, because many daemons
 * never get a token.
 */
export class VerifierOnDemand implements Verifier, ClaimsVerifier, KeysRefresh {
  readonly #load: () => Promise<Loaded>
  #loaded: Promise<Loaded> | undefined

  constructor(load: () => Promise<Loaded>) {
    this.#load = load
  }

  /**
   * Discards the verifier and everything that it remembers. The next token is checked by a new one, which
   * `load` makes.
   */
  drop(): void {
    this.#loaded = undefined
  }

  async refreshKeys(): Promise<string | undefined> {
    return (await this.#loaded)?.refreshKeys()
  }

  async verify(bearer: Bearer): Promise<Verification> {
    return (await this.#verifier()).verify(bearer)
  }

  async claims(bearer: Bearer): Promise<ClaimsVerification> {
    return (await this.#verifier()).claims(bearer)
  }

  #verifier(): Promise<Loaded> {
    this.#loaded ??= this.#load()
    return this.#loaded
  }
}
