import type { Refusal, RefusalCode } from '../command.ts'

/**
 * The error that ends the interpretation of a submission that the ledger refuses. `interpret` converts it to a
 * `Refusal`.
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
 * Refuses the submission if `holds` is false. Bodies of choices call this function. The message is that of Daml's
 * `require` in Splice.Util.
 * @throws Refused
 */
export function require(requirement: string, holds: boolean): void {
  if (!holds) fail(`The requirement '${requirement}' was not met.`)
}

/**
 * Refuses the submission. The message is one that the Daml code of the template has.
 * @throws Refused
 */
export function fail(message: string): never {
  throw new Refused('INTERPRETATION_USER_ERROR', message)
}
