import type { ContractId, DamlRecord, DamlValue, Party } from './value.ts'

/**
 * One change of the ledger that a user requests. All commands of one submission make one transaction: either all take
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
      /**
       * The contract's template, `Module.Path:Entity`. The ledger refuses the command if the contract has another
       * template.
       */
      readonly template: string
      readonly contractId: ContractId
      readonly choice: string
      readonly argument: DamlValue
    }

export interface Submission {
  /**
   * Identifies the submission, together with `userId` and `actAs`. If the embedded ledger has already committed a
   * submission with the same three values, it returns that transaction and makes no new one, until the transaction is
   * pruned. Over a participant, this holds only while the first outcome is unknown (`participant/commands.ts`).
   */
  readonly commandId: string
  readonly userId: string
  readonly actAs: readonly Party[]
  readonly readAs: readonly Party[]
  readonly workflowId: string
  readonly commands: readonly Command[]
  /**
   * The created-event blobs of contracts that the commands use although none of the parties in `actAs` and `readAs` is
   * a stakeholder.
   */
  readonly disclosed: readonly { readonly contractId: ContractId; readonly createdEventBlob: string }[]
}

/** Why a submission changed nothing: one of Canton's error codes for commands. */
export type RefusalCode =
  | 'CONTRACT_NOT_FOUND'
  /** The contract was archived earlier in the same submission. */
  | 'CONTRACT_NOT_ACTIVE'
  | 'DAML_AUTHORIZATION_ERROR'
  | 'TEMPLATE_PRECONDITION_VIOLATED'
  | 'INTERPRETATION_USER_ERROR'
  /** A contract's template is not the expected one, arithmetic failed, or a time is out of range. */
  | 'DAML_INTERPRETATION_ERROR'
  | 'COMMAND_PREPROCESSING_FAILED'
  | 'INVALID_ARGUMENT'
  | 'DISCLOSED_CONTRACT_AUTHENTICATION_FAILED'
  | 'UNKNOWN_SUBMITTERS'

export interface Refusal {
  readonly kind: 'refused'
  readonly code: RefusalCode
  /** The reason as a sentence. If an assertion in a template failed, the text of that assertion. */
  readonly message: string
}
