import type { Bearer } from '../lib/bearer.ts'
import type { ClaimsVerification, ClaimsVerifier, Verification, Verifier } from './verifier.ts'

type Loaded = Verifier & ClaimsVerifier & Pick<KeysRefresh, 'refreshKeys'>

/** Fetches the public keys again. */
export interface KeysRefresh {
  /** Resolves with the reason if they cannot be fetched: then the keys that are known stay. */
  refreshKeys(): Promise<string | undefined>
}

/** Imports the verifier for the first caller that needs it, because many daemons never see a token. */
export class VerifierOnDemand implements Verifier, ClaimsVerifier, KeysRefresh {
  readonly #load: () => Promise<Loaded>
  #loaded: Promise<Loaded> | undefined

  constructor(load: () => Promise<Loaded>) {
    this.#load = load
  }

  /** Drops the verifier and all that it remembers. The next token is checked by one that `load` makes. */
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
