import type { ContractId, DamlRecord, DamlValue, Party } from './value.ts'

/** All commands of a submission make one transaction, or none is carried out. */
export type Command =
  | {
      readonly kind: 'create' /** `Module.Path:Entity` */
      readonly template: string
      readonly argument: DamlRecord
    }
  | {
      readonly kind: 'exercise'
      /** `Module.Path:Entity`, checked against the contract. */
      readonly template: string
      readonly contractId: ContractId
      readonly choice: string
      readonly argument: DamlValue
    }

export interface Submission {
  /** Deduplication key together with `userId` and `actAs`: a repeated submission gets the outcome of the first. */
  readonly commandId: string
  readonly userId: string
  readonly actAs: readonly Party[]
  readonly readAs: readonly Party[]
  readonly workflowId: string
  readonly commands: readonly Command[]
  /** Created-event blobs of contracts that the submitters are not stakeholders of. */
  readonly disclosed: readonly { readonly contractId: ContractId; readonly createdEventBlob: string }[]
}

/** Why a submission changed nothing, as one of Canton's error codes for commands. */
export type RefusalCode =
  | 'CONTRACT_NOT_FOUND'
  /** Archived earlier in the same submission. */
  | 'CONTRACT_NOT_ACTIVE'
  | 'DAML_AUTHORIZATION_ERROR'
  | 'TEMPLATE_PRECONDITION_VIOLATED'
  | 'INTERPRETATION_USER_ERROR'
  /** A contract of another template, or a number out of its range. */
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
