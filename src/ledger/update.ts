import type { ContractId, DamlRecord, DamlValue, Micros, Party, TemplateId } from './value.ts'

/** A contract with the content of its creation. It may be archived since. */
export interface Contract {
  readonly contractId: ContractId
  readonly templateId: TemplateId
  readonly packageName: string
  readonly argument: DamlRecord
  /** Sorted, each once. */
  readonly signatories: readonly Party[]
  /** Sorted; never repeats a signatory. */
  readonly observers: readonly Party[]
  /** Base64. With it, a caller discloses the contract to parties that are not stakeholders. */
  readonly createdEventBlob: string
  /** Ledger effective time of the transaction. */
  readonly createdAt: Micros
  /** The JSON text of `argument`, if the contract was decoded from the log. It saves serialising it again. */
  readonly argumentText?: string
}

/** The position of an event in the ledger. */
export interface EventPosition {
  readonly offset: number
  readonly nodeId: number
}

/** A node of a transaction's tree, numbered in pre-order from 0. */
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
  /** The id of the last node below this one, or its own id if there is none. */
  readonly lastDescendantNodeId: number
  readonly contractId: ContractId
  readonly templateId: TemplateId
  readonly packageName: string
  readonly choice: string
  readonly argument: DamlValue
  readonly result: DamlValue
  /** Whether this exercise archives its contract. */
  readonly consuming: boolean
  readonly actingParties: readonly Party[]
  /** Stakeholders of the exercised contract. */
  readonly signatories: readonly Party[]
  readonly observers: readonly Party[]
  readonly witnesses: readonly Party[]
}

/** One atomic change of the ledger. */
export interface Transaction {
  readonly kind: 'transaction'
  /** From 1, without gaps. */
  readonly offset: number
  /** `1220<64 hex>` */
  readonly updateId: string
  readonly commandId: string
  readonly userId: string
  readonly actAs: readonly Party[]
  readonly workflowId: string
  readonly effectiveAt: Micros
  /** Strictly increasing. */
  readonly recordTime: Micros
  readonly synchronizerId: string
  readonly nodes: readonly Node[]
}

/** A party was allocated. */
export interface PartyAllocated {
  readonly kind: 'party'
  readonly offset: number
  readonly updateId: string
  readonly recordTime: Micros
  readonly synchronizerId: string
  readonly party: Party
  /** The user whose primary party this is; empty for none. */
  readonly userId: string
  /** The participant that hosts the party, with the permission to submit: `identifier::1220<64 hex>`. */
  readonly participantId: string
}

/**
 * Contracts leave a synchronizer or arrive at one. The embedded ledger has one synchronizer, hence no reassignments.
 */
export interface Reassignment {
  readonly kind: 'reassignment'
  readonly offset: number
  readonly updateId: string
  readonly commandId: string
  readonly actAs: readonly Party[]
  readonly workflowId: string
  readonly recordTime: Micros
  /** The synchronizer that the contracts leave or arrive at. */
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
      /** Before this time, only the submitter may assign the contract. */
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

/** One element of the ledger's ordered stream. */
export type Update = Transaction | PartyAllocated

/** The position of the last update. */
export interface OffsetCheckpoint {
  readonly kind: 'offset-checkpoint'
  /** 0 for an empty ledger. */
  readonly offset: number
  /** The last record time of each synchronizer that has one. */
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

/** A name and the party that owns or owned it. */
export interface TouchedName {
  readonly name: string
  readonly user: Party
}

/** The templates (`Module.Path:Entity`) of the contracts that an update creates and archives, in order. */
export interface Touched {
  readonly created: readonly string[]
  readonly archived: readonly string[]
  /** The names that were created, renewed or archived. */
  readonly names: readonly TouchedName[]
}

export const untouched: Touched = { created: [], archived: [], names: [] }

/**
 * Returns what a transaction touched.
 * @param names the names of the entries among the contracts.
 */
export function touchedBy(nodes: readonly Node[], names: readonly TouchedName[] = []): Touched {
  const created: string[] = []
  const archived: string[] = []
  for (const node of nodes) {
    if (node.kind === 'create') created.push(nameOf(node.contract.templateId))
    else if (node.consuming) archived.push(nameOf(node.templateId))
  }
  return { created, archived, names }
}

/** Returns the template's `Module.Path:Entity`. */
function nameOf(templateId: string): string {
  return templateId.slice(templateId.indexOf(':') + 1)
}

/** The contracts that a transaction adds to the active contracts, and those that it removes. */
export interface Facts {
  readonly created: readonly Contract[]
  readonly archived: readonly ContractId[]
}

/**
 * Returns the changes of a transaction. A contract that the transaction both creates and archives is in neither list.
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
