import { parseJsonText } from '../../lib/parse-json-text.ts'
import { blobOf, type ContractWithoutBlob, withBlob } from '../daml/blob.ts'
import type { ActiveContract, Contract, Node, PartyAllocated, Transaction, Update } from '../update.ts'
import type { DamlRecord, Micros, Party } from '../value.ts'
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

/**
 * An active contract: the JSON of the node that created it, and the offset and head of that node's
 * update.
 */
export interface StoredActive {
  readonly node: string
  readonly offset: number
  readonly nodeId: number
  readonly head: string
}

export type Texts = Pick<StoredUpdate, 'head' | 'nodes'>

type PartyContent = Pick<PartyAllocated, 'kind' | 'party' | 'userId'>
type TransactionContent = Pick<
  Transaction,
  'kind' | 'commandId' | 'userId' | 'actAs' | 'workflowId' | 'effectiveAt' | 'nodes'
>

type PartyHead = Omit<PartyContent, 'kind'>
export type TransactionHead = Omit<TransactionContent, 'kind' | 'nodes'>

type Create = Extract<Node, { kind: 'create' }>
type StoredCreate = Omit<Create, 'contract'> & { readonly contract: ContractWithoutBlob }
type StoredNode = Exclude<Node, Create> | StoredCreate

export function encode(content: PartyContent | TransactionContent): Texts {
  if (content.kind === 'party') {
    const { party, userId } = content
    return { head: JSON.stringify({ party, userId } satisfies PartyHead), nodes: [] }
  }
  const { commandId, userId, actAs, workflowId, effectiveAt, nodes } = content
  const head: TransactionHead = { commandId, userId, actAs, workflowId, effectiveAt }
  return { head: JSON.stringify(head), nodes: nodes.map((node) => JSON.stringify(stored(node))) }
}

function stored(node: Node): StoredNode {
  if (node.kind === 'exercise') return node
  const { contractId, templateId, packageName, argument, signatories, observers, createdAt } = node.contract
  const contract = { contractId, templateId, packageName, argument, signatories, observers, createdAt }
  return { ...node, contract }
}

export function decodeUpdate(update: StoredUpdate, identity: Identity, decode = decodeNode): Update {
  const { offset, updateId, recordTime } = update
  const { synchronizerId } = identity
  if (update.kind === 'party') {
    const { party, userId } = JSON.parse(update.head) as PartyHead
    const participantId = participantOf(identity)
    return { kind: 'party', offset, updateId, recordTime, synchronizerId, party, userId, participantId }
  }
  const { commandId, userId, actAs, workflowId, effectiveAt } = decodeHead(update.head)
  return {
    kind: 'transaction',
    offset,
    updateId,
    recordTime,
    synchronizerId,
    commandId,
    userId,
    actAs,
    workflowId,
    effectiveAt,
    nodes: update.nodes.map((text) => decode(text)),
  }
}

/**
 * Decodes the head and each node only when the caller first reads them, because a submitter rarely
 * reads them all.
 */
export function decodeLazily(update: StoredUpdate, identity: Identity): Update {
  if (update.kind === 'party') return decodeUpdate(update, identity)
  const { offset, updateId, recordTime } = update
  let known: TransactionHead | undefined
  const head = () => (known ??= decodeHead(update.head))
  return {
    kind: 'transaction',
    offset,
    updateId,
    recordTime,
    synchronizerId: identity.synchronizerId,
    get commandId() {
      return head().commandId
    },
    get userId() {
      return head().userId
    },
    get actAs() {
      return head().actAs
    },
    get workflowId() {
      return head().workflowId
    },
    get effectiveAt() {
      return head().effectiveAt
    },
    nodes: nodesAsLookedAt(update.nodes),
  }
}

/** The list is a proxy, because an array with a getter for each node would take longer to make. */
function nodesAsLookedAt(texts: readonly string[]): readonly Node[] {
  const node = (nodes: Node[], index: number) => (nodes[index] ??= decodeNode(texts[index] as string))
  const all = (nodes: Node[]) => {
    for (let index = 0; index < texts.length; index++) node(nodes, index)
    return nodes
  }
  return new Proxy<Node[]>(new Array<Node>(texts.length), {
    get: (nodes, key) =>
      key !== 'length' && Object.hasOwn(texts, key) ? node(nodes, Number(key)) : Reflect.get(nodes, key),
    has: (nodes, key) => Reflect.has(all(nodes), key),
    ownKeys: (nodes) => Reflect.ownKeys(all(nodes)),
    getOwnPropertyDescriptor: (nodes, key) => Reflect.getOwnPropertyDescriptor(all(nodes), key),
  })
}

function decodeHead(text: string): TransactionHead {
  return JSON.parse(text)
}

function decodeNode(text: string): Node {
  const node = parseJsonText(text) as StoredNode
  return node.kind === 'create' ? { ...node, contract: withBlob(node.contract) } : node
}

const beforeArgument = ',"argument":'
const afterArgument = ',"signatories":['

/**
 * Decodes a node that will be serialised again: the argument of a created contract stays JSON,
 * which the serialiser copies. A string cannot contain the two markers around the argument, because
 * its quotes would be escaped.
 */
export function decodeToPrint(text: string): Node {
  if (!text.startsWith('{"kind":"create",')) return decodeNode(text)
  const from = text.indexOf(beforeArgument) + beforeArgument.length
  const to = text.lastIndexOf(afterArgument)
  const node = JSON.parse(`${text.slice(0, from)}null${text.slice(to)}`)
  node.contract = new ContractToPrint(node.contract, text.slice(from, to))
  return node as Create
}

class ContractToPrint implements Contract {
  readonly contractId: string
  readonly templateId: string
  readonly packageName: string
  readonly signatories: readonly Party[]
  readonly observers: readonly Party[]
  readonly createdAt: Micros
  readonly argumentText: string

  constructor(contract: Omit<ContractWithoutBlob, 'argument'>, argumentText: string) {
    this.contractId = contract.contractId
    this.templateId = contract.templateId
    this.packageName = contract.packageName
    this.signatories = contract.signatories
    this.observers = contract.observers
    this.createdAt = contract.createdAt
    this.argumentText = argumentText
  }

  get argument(): DamlRecord {
    return parseJsonText(this.argumentText) as DamlRecord
  }

  get createdEventBlob(): string {
    return blobOf(this)
  }
}

export function createdIn(node: string): Contract {
  return withBlob((parseJsonText(node) as StoredCreate).contract)
}

export function decodeActive(
  { node, offset, nodeId, head }: StoredActive,
  { synchronizerId }: Identity,
): ActiveContract {
  const { workflowId } = JSON.parse(head) as TransactionHead
  return { contract: createdIn(node), offset, nodeId, workflowId, synchronizerId }
}
