import { parseJsonText } from '../../lib/parse-json-text.ts'
import { withBlob } from '../daml/blob.ts'
import type { Contract, Node, PartyAllocated, Transaction, Update } from '../update.ts'
import type { Micros } from '../value.ts'
import { type Identity, participantOf } from './identity.ts'

/** An update as the log stores it: `head` and each node are JSON. */
export interface StoredUpdate {
  readonly offset: number
  readonly kind: Update['kind']
  readonly updateId: string
  readonly recordTime: Micros
  readonly head: string
  readonly nodes: readonly string[]
}

type PartyHead = Pick<PartyAllocated, 'party' | 'userId'>
type TransactionHead = Pick<Transaction, 'commandId' | 'userId' | 'actAs' | 'workflowId' | 'effectiveAt'>

export function encode(update: Update): StoredUpdate {
  const { kind, offset, updateId, recordTime } = update
  const stored = { kind, offset, updateId, recordTime }
  if (update.kind === 'party') {
    const { party, userId } = update
    return { ...stored, head: JSON.stringify({ party, userId } satisfies PartyHead), nodes: [] }
  }
  const { commandId, userId, actAs, workflowId, effectiveAt, nodes } = update
  const head: TransactionHead = { commandId, userId, actAs, workflowId, effectiveAt }
  return { ...stored, head: JSON.stringify(head), nodes: nodes.map(encodeNode) }
}

/** A blob is not stored, because it is computed from the rest of its contract. */
function encodeNode(node: Node): string {
  if (node.kind === 'exercise') return JSON.stringify(node)
  const { contractId, templateId, packageName, argument, signatories, observers, createdAt } = node.contract
  const contract = { contractId, templateId, packageName, argument, signatories, observers, createdAt }
  return JSON.stringify({ ...node, contract })
}

export function decodeUpdate({ head, nodes, ...stored }: StoredUpdate, identity: Identity): Update {
  const { offset, updateId, recordTime } = stored
  const place = { offset, updateId, recordTime, synchronizerId: identity.synchronizerId }
  if (stored.kind === 'party') {
    const { party, userId } = parseJsonText(head) as PartyHead
    return { kind: 'party', ...place, party, userId, participantId: participantOf(identity) }
  }
  const { commandId, userId, actAs, workflowId, effectiveAt } = parseJsonText(head) as TransactionHead
  const content = { commandId, userId, actAs, workflowId, effectiveAt }
  return { kind: 'transaction', ...place, ...content, nodes: nodes.map(decodeNode) }
}

function decodeNode(text: string): Node {
  const node = parseJsonText(text) as Node
  return node.kind === 'create' ? { ...node, contract: withBlob(node.contract) } : node
}

/** @param node the JSON of a node that created a contract. */
export function contractIn(node: string): Contract {
  return withBlob((parseJsonText(node) as Extract<Node, { kind: 'create' }>).contract)
}

export function workflowIdIn(head: string): string {
  return (parseJsonText(head) as TransactionHead).workflowId
}
