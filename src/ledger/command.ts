import type { ContractId, DamlRecord, DamlValue, Party } from './value.ts'

/** A change that a user asks a ledger for. The commands of one submission make one transaction, all or nothing. */
export type Command =
  | {
      readonly kind: 'create' /** `Module.Path:Entity` */
      readonly template: string
      readonly argument: DamlRecord
    }
  | {
      readonly kind: 'exercise'
      /** `Module.Path:Entity`. The ledger checks that the contract has this template. */
      readonly template: string
      readonly contractId: ContractId
      readonly choice: string
      readonly argument: DamlValue
    }

export interface Submission {
  /** Identifies the submission, with `userId` and `actAs`. A repeated submission gets the outcome of the first. */
  readonly commandId: string
  readonly userId: string
  readonly actAs: readonly Party[]
  readonly readAs: readonly Party[]
  readonly workflowId: string
  readonly commands: readonly Command[]
  /** Created-event blobs of the contracts that the commands use and the submitters are not stakeholders of. */
  readonly disclosed: readonly { readonly contractId: ContractId; readonly createdEventBlob: string }[]
}

/** The reason why a submission changed nothing: one of Canton's error codes for commands. */
export type RefusalCode =
  | 'CONTRACT_NOT_FOUND'
  /** Archived earlier in the same submission. */
  | 'CONTRACT_NOT_ACTIVE'
  | 'DAML_AUTHORIZATION_ERROR'
  | 'TEMPLATE_PRECONDITION_VIOLATED'
  | 'INTERPRETATION_USER_ERROR'
  /** The contract has another template, or a number is out of its range. */
  | 'DAML_INTERPRETATION_ERROR'
  | 'COMMAND_PREPROCESSING_FAILED'
  | 'INVALID_ARGUMENT'
  | 'DISCLOSED_CONTRACT_AUTHENTICATION_FAILED'
  | 'UNKNOWN_SUBMITTERS'

export interface Refusal {
  readonly kind: 'refused'
  readonly code: RefusalCode
  /** A sentence; for an assertion of a template, the assertion's text. */
  readonly message: string
}
