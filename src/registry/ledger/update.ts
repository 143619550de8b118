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
  /** Sorted, without repetitions. No template of this ledger has observers beside them. */
  readonly signatories: readonly Party[]
  /**
   * The blob in base64 that a submitter who is not a stakeholder must send to use the contract.
   * Empty if the contract comes from a participant, and the request did not ask for the blob.
   */
  readonly createdEventBlob: string
  /** The ledger effective time of the transaction that created the contract. */
  readonly createdAt: Micros
}

export interface EventPosition {
  readonly offset: number
  readonly nodeId: number
}

/**
 * A node of a transaction's tree. Ids count from 0 in pre-order: each node comes before its
 * descendants.
 */
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
  readonly signatories: readonly Party[]
  readonly witnesses: readonly Party[]
}

export interface Transaction {
  readonly kind: 'transaction'
  /** In the embedded ledger, offsets begin at 1 and have no gaps. */
  readonly offset: number
  readonly updateId: string
  readonly commandId: string
  readonly userId: string
  readonly actAs: readonly Party[]
  readonly effectiveAt: Micros
  /** In the embedded ledger, the record time strictly increases from update to update. */
  readonly recordTime: Micros
  readonly synchronizerId: string
  readonly nodes: readonly Node[]
}

export interface PartyAllocated {
  readonly kind: 'party'
  readonly offset: number
  readonly updateId: string
  readonly recordTime: Micros
  readonly synchronizerId: string
  readonly party: Party
  readonly userId: string
  readonly participantId: string
}

export type Update = Transaction | PartyAllocated

export interface OffsetCheckpoint {
  readonly kind: 'offset-checkpoint'
  readonly offset: number
  readonly synchronizerTimes: readonly { readonly synchronizerId: string; readonly recordTime: Micros }[]
}

export interface ActiveContract {
  readonly contract: Contract
  readonly offset: number
  readonly updateId: string
  readonly nodeId: number
  readonly synchronizerId: string
}

export interface TouchedName {
  readonly name: string
  readonly user: Party
}

/**
 * The templates (`Module.Path:Entity`) and the names whose contracts an update created or archived.
 */
export interface Touched {
  readonly created: readonly string[]
  readonly archived: readonly string[]
  readonly names: readonly TouchedName[]
}

export const untouched: Touched = { created: [], archived: [], names: [] }

export function touchedBy(nodes: readonly Node[], names: readonly TouchedName[] = []): Touched {
  const created: string[] = []
  const archived: string[] = []
  for (const node of nodes) {
    if (node.kind === 'create') created.push(templateNameOf(node.contract.templateId))
    else if (node.consuming) archived.push(templateNameOf(node.templateId))
  }
  return { created, archived, names }
}

export interface ContractChanges {
  readonly created: readonly Contract[]
  readonly archived: readonly ContractId[]
}

/**
 * Returns the change to the active contracts. A contract that the transaction both creates and
 * archives is in neither list.
 */
export function contractChangesOf(nodes: readonly Node[]): ContractChanges {
  const created = new Map<ContractId, Contract>()
  const archived: ContractId[] = []
  for (const node of nodes) {
    if (node.kind === 'create') created.set(node.contract.contractId, node.contract)
    else if (node.consuming && !created.delete(node.contractId)) archived.push(node.contractId)
  }
  return { created: [...created.values()], archived }
}

type ContractWithoutBlob = Omit<Contract, 'createdEventBlob'>

const version = '2.1'
const head = Buffer.from(`\x0a${String.fromCharCode(version.length)}${version}\x12`, 'latin1')

/**
 * Returns the created-event blob of a contract in base64. As in Canton, the blob is a protobuf
 * message with a version and bytes; here the bytes are JSON.
 */
function blobOf(contract: ContractWithoutBlob): string {
  const body = Buffer.from(JSON.stringify(contract))
  return Buffer.concat([head, varint(body.length), body]).toString('base64')
}

export function withBlob(contract: ContractWithoutBlob): Contract {
  let blob: string | undefined
  return {
    ...contract,
    get createdEventBlob() {
      blob ??= blobOf(contract)
      return blob
    },
  }
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80)
  return Buffer.from([...bytes, rest])
}
