/**
 * Splice's way to save bandwidth for a contract: if the caller sends the id of the current
 * contract, the answer has null in place of the contract.
 */
export interface CachedContract<Value> {
  readonly field: string
  readonly alsoAllowed: readonly string[]
  readonly contractId: (value: Value) => string
  readonly withoutContract: (value: Value) => unknown
}

/**
 * Splice's way to save bandwidth for several contracts: the answer has null in place of each
 * contract whose id the caller sent.
 */
export interface CachedContracts<Value> {
  readonly fields: readonly string[]
  readonly withoutContracts: (value: Value, known: ReadonlySet<string>) => unknown
}
