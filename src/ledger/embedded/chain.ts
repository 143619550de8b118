import { hash } from 'node:crypto'
import type { Submission } from '../command.ts'
import { sealed, type Unsealed } from '../daml/blob.ts'
import type { ActiveContract, Contract, Node, PartyAllocated, Transaction, Update } from '../update.ts'
import type { Micros } from '../value.ts'
import { type Identity, participantOf } from './identity.ts'

/** An update as the log keeps it: JSON texts, and the id that follows from them and all updates before. */
export interface StoredUpdate {
  readonly offset: number
  readonly kind: Update['kind']
  /** `1220<64 hex>` */
  readonly updateId: string
  readonly recordTime: Micros
  /** Everything but the nodes and what stands above. */
  readonly head: string
  /** One text a node, in order. */
  readonly nodes: readonly string[]
}

/** A contract that is active: texts of the node that created it, and of the update that this is of. */
export interface StoredActive {
  readonly node: string
  readonly offset: number
  readonly nodeId: number
  readonly head: string
}

export type UnstoredUpdate = Omit<StoredUpdate, 'updateId'>

/** How far a log has come. */
export interface Reached {
  readonly offset: number
  readonly recordTime: Micros
}

/** The last update's place in the chain, and the clock's. */
export interface Tail extends Reached {
  readonly updateId: string
  /** The row that the next node gets. */
  readonly nextNode: number
}

export function textDigest(text: string): string {
  return hash('sha256', text, 'hex')
}

/** What stands before the first update. */
export function genesis(synchronizerId: string): Tail {
  return { offset: 0, updateId: `1220${textDigest(synchronizerId)}`, recordTime: 0, nextNode: 1 }
}

const offsetDigits = 12

/**
 * The id of an update: a hash over its content and the id before it, so that no update of a log can change unseen. Its
 * last twelve digits are the offset, so that nobody needs an index to find it.
 */
export function chainedId(
  previousId: string,
  update: UnstoredUpdate,
  nodeDigests: readonly string[],
): string {
  const { offset, recordTime, kind, head } = update
  const digest = textDigest([previousId, offset, recordTime, kind, head, ...nodeDigests].join('\n'))
  return `1220${digest.slice(0, -offsetDigits)}${offset.toString(16).padStart(offsetDigits, '0')}`
}

/** The offset of the update with this id, if it is this ledger's; undefined for what is no id of it. */
export function offsetIn(updateId: string): number | undefined {
  return /^1220[0-9a-f]{64}$/.test(updateId) ? Number.parseInt(updateId.slice(-offsetDigits), 16) : undefined
}

/** The key of deduplication, 64 hex digits: user, set of parties, command id. */
export function commandKey(submission: Pick<Submission, 'userId' | 'actAs' | 'commandId'>): string {
  const actAs = [...new Set(submission.actAs)].sort()
  return textDigest(JSON.stringify([submission.userId, actAs, submission.commandId]))
}

type Head<U extends Update> = Omit<
  U,
  'kind' | 'offset' | 'updateId' | 'recordTime' | 'synchronizerId' | 'nodes'
>

/** Who hosts a party follows from the ledger's identity. */
type PartyHead = Omit<Head<PartyAllocated>, 'participantId'>

export function transactionHead({
  commandId,
  userId,
  actAs,
  workflowId,
  effectiveAt,
}: Head<Transaction>): string {
  return JSON.stringify({ commandId, userId, actAs, workflowId, effectiveAt })
}

export function partyHead({ party, userId }: PartyHead): string {
  return JSON.stringify({ party, userId })
}

/** @throws SyntaxError for texts that are no JSON; digests say beforehand whether they are what was written. */
export function decodeUpdate(stored: StoredUpdate, identity: Identity): Update {
  const { offset, updateId, recordTime, head, nodes } = stored
  const place = { offset, updateId, recordTime, synchronizerId: identity.synchronizerId }
  if (stored.kind === 'party') {
    const party = JSON.parse(head) as PartyHead
    return { kind: 'party', ...place, ...party, participantId: participantOf(identity) }
  }
  return {
    kind: 'transaction',
    ...place,
    ...(JSON.parse(head) as Head<Transaction>),
    nodes: nodes.map(decodeNode),
  }
}

type Create = Extract<Node, { kind: 'create' }>
/** A node as the log keeps it: the blob of its contract follows from the rest. */
type StoredNode = Exclude<Node, Create> | (Omit<Create, 'contract'> & { readonly contract: Unsealed })

export function nodeText(node: Node): string {
  return JSON.stringify(node.kind === 'create' ? withoutBlob(node) : node)
}

function withoutBlob({ kind, nodeId, contract, witnesses }: Create): StoredNode {
  const { contractId, templateId, packageName, argument, signatories, observers, createdAt } = contract
  const unsealed = { contractId, templateId, packageName, argument, signatories, observers, createdAt }
  return { kind, nodeId, contract: unsealed, witnesses }
}

function decodeNode(text: string): Node {
  const node = JSON.parse(text) as StoredNode
  return node.kind === 'create' ? { ...node, contract: sealed(node.contract) } : node
}

/** The contract that a create node made. */
export function createdIn(text: string): Contract {
  const node = JSON.parse(text) as Extract<StoredNode, { kind: 'create' }>
  return sealed(node.contract)
}

export function decodeActive(
  { node, offset, nodeId, head }: StoredActive,
  { synchronizerId }: Identity,
): ActiveContract {
  const { workflowId } = JSON.parse(head) as Head<Transaction>
  return { contract: createdIn(node), offset, nodeId, workflowId, synchronizerId }
}
