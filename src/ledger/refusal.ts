import type { CantonErrorBody } from '../errors/canton.ts'

/** A ledger's no, in Canton's words. */
export class LedgerRefusal extends Error {
  override readonly name = 'LedgerRefusal'
  /** Of HTTP, that belongs to the error (EndpointsCompanion.scala). */
  readonly status: number
  readonly error: CantonErrorBody

  constructor(status: number, error: CantonErrorBody) {
    super(`${error.code}: ${error.cause}`)
    this.status = status
    this.error = error
  }
}
