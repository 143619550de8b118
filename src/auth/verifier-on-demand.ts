import type { Bearer } from '../lib/bearer.ts'
import type { ClaimsVerification, ClaimsVerifier, Verification, Verifier } from './verifier.ts'

type Loaded = Verifier & ClaimsVerifier & Pick<KeysRefresh, 'refreshKeys'>

/** Reloads the public keys that verify tokens. */
export interface KeysRefresh {
  /**
   * Fetches the keys. Resolves with undefined if the fetch succeeds, or if there are no keys to fetch. If the
   * fetch fails, resolves with the reason, and the keys of the last successful fetch stay in use.
   */
  refreshKeys(): Promise<string | undefined>
}

/**
 * Checks tokens with a verifier that is imported when the first token arrives. A daemon that never gets a token does
 * not load the package that checks tokens.
 */
export class VerifierOnDemand implements Verifier, ClaimsVerifier, KeysRefresh {
  readonly #load: () => Promise<Loaded>
  #loaded: Promise<Loaded> | undefined

  constructor(load: () => Promise<Loaded>) {
    this.#load = load
  }

  /**
   * Discards the verifier and everything that it remembers. For the next token, `load` makes a new verifier.
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
    if (this.#loaded !== undefined) return this.#loaded
    const loaded = this.#load()
    this.#loaded = loaded
    // If the package could not be loaded, the next token makes the daemon load it again.
    loaded.catch(() => {
      if (this.#loaded === loaded) this.#loaded = undefined
    })
    return loaded
  }
}
