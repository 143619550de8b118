import type { ContractId, DamlRecord, DamlValue, Party } from './value.ts'

/**
 * A change to the ledger that a user requests. All commands of one submission make one transaction: either all take
 * effect or none.
 */
export type Command =
  | {
      readonly kind: 'create'
      /** The name of the template: `Module.Path:Entity`. */
      readonly template: string
      readonly argument: DamlRecord
    }
  | {
      readonly kind: 'exercise'
      /** The contract's template, `Module.Path:Entity`. The ledger checks that the contract has this template. */
      readonly template: string
      readonly contractId: ContractId
      readonly choice: string
      readonly argument: DamlValue
    }

export interface Submission {
  /**
   * Together with `userId` and `actAs`, identifies the submission. If a submission with the same three was committed
   * before, and is not pruned, its transaction is the outcome.
   */
  readonly commandId: string
  readonly userId: string
  readonly actAs: readonly Party[]
  readonly readAs: readonly Party[]
  readonly workflowId: string
  readonly commands: readonly Command[]
  /**
   * The created-event blobs of contracts that the commands use although none of `actAs` and `readAs` is a stakeholder.
   */
  readonly disclosed: readonly { readonly contractId: ContractId; readonly createdEventBlob: string }[]
}

/** The reason why a submission changed nothing: one of Canton's error codes for commands. */
export type RefusalCode =
  | 'CONTRACT_NOT_FOUND'
  /** The contract was archived earlier in the same submission. */
  | 'CONTRACT_NOT_ACTIVE'
  | 'DAML_AUTHORIZATION_ERROR'
  | 'TEMPLATE_PRECONDITION_VIOLATED'
  | 'INTERPRETATION_USER_ERROR'
  /** A contract has another template than expected, arithmetic fails, or a time is out of range. */
  | 'DAML_INTERPRETATION_ERROR'
  | 'COMMAND_PREPROCESSING_FAILED'
  | 'INVALID_ARGUMENT'
  | 'DISCLOSED_CONTRACT_AUTHENTICATION_FAILED'
  | 'UNKNOWN_SUBMITTERS'

export interface Refusal {
  readonly kind: 'refused'
  readonly code: RefusalCode
  /** A sentence. For an assertion in a template, the text of the assertion. */
  readonly message: string
}
