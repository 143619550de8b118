import type { ContractId, DamlRecord, DamlValue, Party } from './value.ts'

/**
 * One change that a user requests. All commands of a submission take effect together, or none does.
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
      /** The ledger rejects the command if the contract has another template. */
      readonly template: string
      readonly contractId: ContractId
      readonly choice: string
      readonly argument: DamlValue
    }

export interface Submission {
  /**
   * The ledger executes submissions with the same `commandId`, `userId` and `actAs` once: a
   * repetition returns the first transaction. On a participant's ledger, this holds only until the
   * outcome of the first submission is known.
   */
  readonly commandId: string
  readonly userId: string
  readonly actAs: readonly Party[]
  readonly readAs: readonly Party[]
  readonly workflowId: string
  readonly commands: readonly Command[]
  /**
   * Contracts that the commands use although no submitting party is a stakeholder (Daml: explicit
   * disclosure).
   */
  readonly disclosed: readonly { readonly contractId: ContractId; readonly createdEventBlob: string }[]
}

export type RefusalCode =
  | 'CONTRACT_NOT_FOUND'
  /** The contract was archived earlier in the same submission. */
  | 'CONTRACT_NOT_ACTIVE'
  | 'DAML_AUTHORIZATION_ERROR'
  | 'TEMPLATE_PRECONDITION_VIOLATED'
  | 'INTERPRETATION_USER_ERROR'
  /** Another template than expected, failed arithmetic, or a time that is out of range. */
  | 'DAML_INTERPRETATION_ERROR'
  | 'COMMAND_PREPROCESSING_FAILED'
  | 'INVALID_ARGUMENT'
  | 'DISCLOSED_CONTRACT_AUTHENTICATION_FAILED'
  | 'UNKNOWN_SUBMITTERS'

export interface Refusal {
  readonly kind: 'refused'
  readonly code: RefusalCode
  readonly message: string
}
