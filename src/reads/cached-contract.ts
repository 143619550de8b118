/**
 * The protocol of Splice for a contract that the caller may already know. If the caller sends the id of the current
 * contract, the answer has null in place of that contract.
 */
export interface CachedContract<Value> {
  /** The field of the request body that contains the caller's contract id. */
  readonly field: string
  /** Other fields that the body may have. */
  readonly alsoAllowed: readonly string[]
  readonly contractId: (value: Value) => string
  readonly withoutContract: (value: Value) => unknown
}

/**
 * The protocol of Splice for several contracts. The caller sends the ids of the contracts that it already
 * knows, and the answer has null in place of these contracts.
 */
export interface CachedContracts<Value> {
  /** The fields that the request body must have. They contain the caller's contract ids. */
  readonly fields: readonly string[]
  readonly withoutContracts: (value: Value, known: ReadonlySet<string>) => unknown
}
