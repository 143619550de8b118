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
       * The contract's template, `Module.Path:Entity`. The ledger rejects the command if the contract has
       * another template.
       */
      readonly template: string
      readonly contractId: ContractId
      readonly choice: string
      readonly argument: DamlValue
    }

export interface Submission {
  /**
   * Identifies the submission, together with `userId` and `actAs`. For a second submission with the same
   * three values, the embedded ledger makes no new transaction. It returns the earlier transaction, until
   * that transaction is pruned. With a participant, the second submission gets the earlier transaction only
   * while the outcome of the first submission is unknown (`participant/commands.ts`).
   */
  readonly commandId: string
  readonly userId: string
  readonly actAs: readonly Party[]
  readonly readAs: readonly Party[]
  readonly workflowId: string
  readonly commands: readonly Command[]
  /**
   * Contracts that the commands use although none of the parties in `actAs` and `readAs` is a stakeholder.
   * Each comes with its created-event blob (`Contract.createdEventBlob`).
   */
  readonly disclosed: readonly { readonly contractId: ContractId; readonly createdEventBlob: string }[]
}

/** The reason why the ledger rejected a submission: one of Canton's error codes for commands. */
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
  /**
   * A sentence that states the reason. If an assertion in a template's code failed, this is that assertion's
   * message.
   */
  readonly message: string
}
