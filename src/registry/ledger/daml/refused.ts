export type RefusalCode =
  | 'CONTRACT_NOT_FOUND'
  /** The contract was archived earlier in the same submission. */
  | 'CONTRACT_NOT_ACTIVE'
  | 'DAML_AUTHORIZATION_ERROR'
  | 'INTERPRETATION_USER_ERROR'
  /** Another template than expected, failed arithmetic, or a time that is out of range. */
  | 'DAML_INTERPRETATION_ERROR'
  | 'INVALID_ARGUMENT'
  | 'UNKNOWN_SUBMITTERS'

export interface Refusal {
  readonly kind: 'refused'
  readonly code: RefusalCode
  readonly message: string
}

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

/**
 * The error message is the one of Daml's `assertDeadlineExceeded`.
 * @throws Refused
 */
export function requireReached(deadline: string, at: string, reached: boolean): void {
  if (!reached) fail(`Ledger time is before deadline '${deadline}' at ${at}`)
}
