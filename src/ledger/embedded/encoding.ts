import { parseJsonText } from '../../lib/parse-json-text.ts'
import { AnsEntry } from '../daml/splice/ans.ts'
import { templates } from '../daml/splice/templates.ts'
import { microsOf } from '../daml/time.ts'
import { type Identity, participantOf } from '../identifiers.ts'
import {
  type Contract,
  type Node,
  type PartyAllocated,
  type Transaction,
  type Update,
  withBlob,
} from '../update.ts'
import { type Micros, type Party, templateNameOf, valueAt } from '../value.ts'

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
type TransactionHead = Pick<Transaction, 'commandId' | 'userId' | 'actAs' | 'effectiveAt'>

export function encode(update: Update): StoredUpdate {
  const { kind, offset, updateId, recordTime } = update
  const stored = { kind, offset, updateId, recordTime }
  if (update.kind === 'party') {
    const { party, userId } = update
    return { ...stored, head: JSON.stringify({ party, userId } satisfies PartyHead), nodes: [] }
  }
  const { commandId, userId, actAs, effectiveAt, nodes } = update
  const head: TransactionHead = { commandId, userId, actAs, effectiveAt }
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
  const { commandId, userId, actAs, effectiveAt } = parseJsonText(head) as TransactionHead
  const content = { commandId, userId, actAs, effectiveAt }
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

/** The member of `ContractKeys.finders` that has a stakeholder of the contract. */
export const stakeholder = ''

/** The texts by which the ledger finds an active contract. */
export interface ContractKeys {
  /** `Module.Path:Entity` */
  readonly template: string
  /** The stakeholders, and the texts in the members that `Template.indexed` lists. */
  readonly finders: readonly (readonly [member: string, value: string])[]
  readonly dueAt: Micros | undefined
  readonly entry: EntryKeys | undefined
}

export interface EntryKeys {
  readonly name: string
  readonly user: Party
  readonly expiresAt: Micros
}

export function keysOf({ templateId, argument, signatories, observers }: Contract): ContractKeys {
  const name = templateNameOf(templateId)
  const { indexed = {}, dueField } = templates.get(name) ?? {}
  const textAt = (...path: readonly string[]) => valueAt(argument, path) as string
  const timeAt = (member: string) => microsOf(textAt(member))
  return {
    template: name,
    finders: [
      ...[...signatories, ...observers].map((party) => [stakeholder, party] as const),
      ...Object.entries(indexed).map(([member, path]) => [member, textAt(...path)] as const),
    ],
    dueAt: dueField === undefined ? undefined : timeAt(dueField),
    entry:
      name === AnsEntry.name
        ? { name: textAt('name'), user: textAt('user'), expiresAt: timeAt('expiresAt') }
        : undefined,
  }
}
