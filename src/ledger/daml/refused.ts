import type { Refusal, RefusalCode } from '../command.ts'

/**
 * The error that ends the interpretation of a submission that the ledger rejects. `interpret` converts it to
 * a `Refusal`.
 */
export class Refused extends Error {
  override readonly name = 'Refused'
  readonly code: RefusalCode

  constructor(code: RefusalCode, message: string) {
    super(message)
    this.code = code
  }

  get refusal(): Refusal {
    return { kind: 'refused', code: this.code, message: this.message }
  }
}

/**
 * Rejects the submission if `holds` is false. Bodies of choices call this function. The error message is the
 * one of Daml's `require` in Splice.Util.
 * @throws Refused
 */
export function require(requirement: string, holds: boolean): void {
  if (!holds) fail(`The requirement '${requirement}' was not met.`)
}

/**
 * Rejects the submission. `message` is the error message in the Daml code of Splice's template.
 * @throws Refused
 */
export function fail(message: string): never {
  throw new Refused('INTERPRETATION_USER_ERROR', message)
}
