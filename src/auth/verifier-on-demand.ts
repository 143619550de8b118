import type { Bearer } from '../lib/bearer.ts'
import type { ClaimsVerification, ClaimsVerifier, Verification, Verifier } from './verifier.ts'

/** Imports the verifier for the first caller that needs it, because many daemons never see a token. */
export class VerifierOnDemand implements Verifier, ClaimsVerifier {
  readonly #load: () => Promise<Verifier & ClaimsVerifier>
  #loaded: Promise<Verifier & ClaimsVerifier> | undefined

  constructor(load: () => Promise<Verifier & ClaimsVerifier>) {
    this.#load = load
  }

  async verify(bearer: Bearer): Promise<Verification> {
    return (await this.#verifier()).verify(bearer)
  }

  async claims(bearer: Bearer): Promise<ClaimsVerification> {
    return (await this.#verifier()).claims(bearer)
  }

  #verifier(): Promise<Verifier & ClaimsVerifier> {
    this.#loaded ??= this.#load()
    return this.#loaded
  }
}
