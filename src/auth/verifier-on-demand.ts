import type { Bearer } from '../lib/bearer.ts'
import type { ClaimsVerification, ClaimsVerifier, Verification, Verifier } from './verifier.ts'

type LoadedVerifier = Verifier & ClaimsVerifier & Pick<KeysRefresh, 'refreshKeys'>

export interface KeysRefresh {
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
export class VerifierOnDemand implements Verifier, ClaimsVerifier, KeysRefresh {
  readonly #load: () => Promise<LoadedVerifier>
  #loaded: Promise<LoadedVerifier> | undefined

  constructor(load: () => Promise<LoadedVerifier>) {
    this.#load = load
  }

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

  #verifier(): Promise<LoadedVerifier> {
    if (this.#loaded !== undefined) return this.#loaded
    const loaded = this.#load()
    this.#loaded = loaded
    // After a failed import, the next token tries again.
    loaded.catch(() => {
      if (this.#loaded === loaded) this.#loaded = undefined
    })
    return loaded
  }
}
