import type { Bearer } from '../lib/bearer.ts'
import type { ClaimsVerification, ClaimsVerifier, Verification, Verifier } from './verifier.ts'

/** A verifier that is loaded for the first caller who needs one: many daemons never see a token. */
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
