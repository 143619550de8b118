import {
  type ContractId,
  type DamlRecord,
  type DamlValue,
  type Micros,
  type Party,
  type TemplateId,
  templateNameOf,
} from './value.ts'

/** A contract as it was created. It may be archived by now. */
export interface Contract {
  readonly contractId: ContractId
  readonly templateId: TemplateId
  readonly packageName: string
  readonly argument: DamlRecord
  /** The signatories, sorted and without repetitions. */
  readonly signatories: readonly Party[]
  /** The observers that are not also signatories, sorted and without repetitions. */
  readonly observers: readonly Party[]
  /**
   * The created-event blob in base64. A submitter who is not a stakeholder must send the blob to use the contract
   * (Daml: explicit disclosure). Empty if the contract comes from a participant that was not asked for the blob.
   */
  readonly createdEventBlob: string
  /** The ledger effective time of the transaction that created the contract. */
  readonly createdAt: Micros
  /**
   * `argument` as JSON text. Code that writes updates as JSON copies this text. Set only on contracts that were
   * read from the embedded ledger's log in order to be written as JSON.
   */
  readonly argumentText?: string
}

export interface EventPosition {
  readonly offset: number
  readonly nodeId: number
}

/** A node of a transaction's tree. Nodes are numbered from 0 in pre-order: each node before its descendants. */
export type Node = CreateNode | ExerciseNode

export interface CreateNode {
  readonly kind: 'create'
  readonly nodeId: number
  readonly contract: Contract
  readonly witnesses: readonly Party[]
}

export interface ExerciseNode {
  readonly kind: 'exercise'
  readonly nodeId: number
  /** The id of the last descendant of this node, or its own id if it has none. */
  readonly lastDescendantNodeId: number
  readonly contractId: ContractId
  readonly templateId: TemplateId
  readonly packageName: string
  readonly choice: string
  readonly argument: DamlValue
  readonly result: DamlValue
  /** True if this exercise archives the contract. */
  readonly consuming: boolean
  readonly actingParties: readonly Party[]
  /**
   * The signatories of the exercised contract. For a transaction from a participant, both `signatories` and
   * `observers` are empty, because the participant's API does not send them.
   */
  readonly signatories: readonly Party[]
  readonly observers: readonly Party[]
  readonly witnesses: readonly Party[]
}

/** One atomic change of the ledger. */
export interface Transaction {
  readonly kind: 'transaction'
  /** The offset of the update. In the embedded ledger, offsets begin at 1 and have no gaps. */
  readonly offset: number
  /** The id of the update: `1220<64 hex>`. */
  readonly updateId: string
  readonly commandId: string
  readonly userId: string
  readonly actAs: readonly Party[]
  readonly workflowId: string
  readonly effectiveAt: Micros
  /** The record time. In the embedded ledger, it strictly increases from update to update. */
  readonly recordTime: Micros
  readonly synchronizerId: string
  readonly nodes: readonly Node[]
}

/** The update that records that the ledger allocated a party. */
export interface PartyAllocated {
  readonly kind: 'party'
  readonly offset: number
  readonly updateId: string
  readonly recordTime: Micros
  readonly synchronizerId: string
  readonly party: Party
  /** The id of the user for whom the ledger allocated the party. Empty for a party without a user. */
  readonly userId: string
  /** The participant that hosts the party with the permission to submit: `identifier::1220<64 hex>`. */
  readonly participantId: string
}

/**
 * An update that removes contracts from a synchronizer (`unassign`), or adds them to one (`assign`). The embedded
 * ledger has only one synchronizer, so it has no reassignments.
 */
export interface Reassignment {
  readonly kind: 'reassignment'
  readonly offset: number
  readonly updateId: string
  readonly commandId: string
  readonly actAs: readonly Party[]
  readonly workflowId: string
  readonly recordTime: Micros
  /** The synchronizer of the update: the source of an `unassign`, the target of an `assign`. */
  readonly synchronizerId: string
  readonly moves: readonly Move[]
}

export type Move = (
  | { readonly kind: 'assign'; readonly contract: Contract }
  | {
      readonly kind: 'unassign'
      readonly contract: Pick<
        Contract,
        'contractId' | 'templateId' | 'packageName' | 'signatories' | 'observers'
      >
      /**
       * Before this time, only the submitter may assign the contract to its new synchronizer. Undefined if there is no
       * such time.
       */
      readonly assignmentExclusivity: Micros | undefined
    }
) & {
  readonly nodeId: number
  readonly reassignmentId: string
  readonly source: string
  readonly target: string
  readonly submitter: Party
  readonly reassignmentCounter: number
}

export type Update = Transaction | PartyAllocated

/**
 * The offset of the last update and, for each synchronizer, the record time of the last update on that
 * synchronizer.
 */
export interface OffsetCheckpoint {
  readonly kind: 'offset-checkpoint'
  /** The offset of the last update; 0 for an empty ledger. */
  readonly offset: number
  /** The last record time of each synchronizer. A synchronizer without any update is left out. */
  readonly synchronizerTimes: readonly { readonly synchronizerId: string; readonly recordTime: Micros }[]
}

/** An active contract, and the position of the node that created it. */
export interface ActiveContract {
  readonly contract: Contract
  readonly offset: number
  readonly nodeId: number
  readonly workflowId: string
  readonly synchronizerId: string
}

/** A name whose entry an update creates or archives, and the party that owns or owned the name. */
export interface TouchedName {
  readonly name: string
  readonly user: Party
}

/**
 * The templates (`Module.Path:Entity`) of the contracts that an update created or archived, and the names whose entries
 * it created or archived.
 */
export interface Touched {
  /** The template of each created contract, in the order of creation. */
  readonly created: readonly string[]
  /** The template of each archived contract, in the order of archiving. */
  readonly archived: readonly string[]
  /** The names that were registered, renewed or archived. */
  readonly names: readonly TouchedName[]
}

export const untouched: Touched = { created: [], archived: [], names: [] }

/**
 * Returns the templates and names that a transaction touched.
 * @param names the names whose entries the transaction creates or archives.
 */
export function touchedBy(nodes: readonly Node[], names: readonly TouchedName[] = []): Touched {
  const created: string[] = []
  const archived: string[] = []
  for (const node of nodes) {
    if (node.kind === 'create') created.push(templateNameOf(node.contract.templateId))
    else if (node.consuming) archived.push(templateNameOf(node.templateId))
  }
  return { created, archived, names }
}

/** The change that a transaction makes to the active contracts. */
export interface Facts {
  readonly created: readonly Contract[]
  readonly archived: readonly ContractId[]
}

/**
 * Returns the active contracts that a transaction adds and removes. A contract that the transaction both
 * creates and archives is in neither list.
 */
export function factsOf(nodes: readonly Node[]): Facts {
  const created = new Map<ContractId, Contract>()
  const archived: ContractId[] = []
  for (const node of nodes) {
    if (node.kind === 'create') created.set(node.contract.contractId, node.contract)
    else if (node.consuming && !created.delete(node.contractId)) archived.push(node.contractId)
  }
  return { created: [...created.values()], archived }
}
