import type { Refusal, RefusalCode } from '../command.ts'

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
 * The error message is the one of Daml's `require` in Splice.Util.
 * @throws Refused
 */
export function require(requirement: string, holds: boolean): void {
  if (!holds) fail(`The requirement '${requirement}' was not met.`)
}

export function fail(message: string): never {
  throw new Refused('INTERPRETATION_USER_ERROR', message)
}
