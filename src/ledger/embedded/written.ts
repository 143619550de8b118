import { blobOf } from '../daml/blob.ts'
import type { Contract, ContractTexts, Node, Update } from '../update.ts'
import type { DamlRecord, Party } from '../value.ts'
import { decodeHead, decodeNode, decodeUpdate, type StoredUpdate, type TransactionHead } from './encoding.ts'
import type { Identity } from './identity.ts'

/**
 * The update whose texts these are, for who prints most of it as it was written: the argument of what it creates is
 * parsed when it is asked for.
 */
export function writtenUpdate(update: StoredUpdate, identity: Identity): Update {
  if (update.kind === 'party') return decodeUpdate(update, identity)
  const { offset, updateId, recordTime, head, nodes } = update
  const place = { offset, updateId, recordTime, synchronizerId: identity.synchronizerId }
  const rest = writtenHead(head) ?? decodeHead(head)
  return {
    kind: 'transaction',
    ...place,
    ...rest,
    nodes: nodes.map((text) => writtenCreate(text) ?? decodeNode(text)),
  }
}

/** What `encode` prints of a transaction, with ids and parties that need no escapes. */
const head = new RegExp(
  String.raw`^\{"commandId":"([^"\\]*)","userId":"([^"\\]*)","actAs":\[([^\]\\]*)\],` +
    String.raw`"workflowId":"([^"\\]*)","effectiveAt":(-?\d+)\}$`,
)

/** Undefined for any other text. */
function writtenHead(text: string): TransactionHead | undefined {
  const match = head.exec(text)
  if (match === null) return undefined
  const [, commandId, userId, actAs, workflowId, effectiveAt] = match as unknown as Texts
  return { commandId, userId, actAs: partiesIn(actAs), workflowId, effectiveAt: Number(effectiveAt) }
}

// A create node as `encode` prints it, with ids and parties that need no escapes. No string inside of an argument has
// what begins the end, so that the last of these is the node's own.

const beginning = new RegExp(
  String.raw`^\{"kind":"create","nodeId":(\d+),"contract":\{("contractId":"([^"\\]*)",` +
    String.raw`"templateId":"([^"\\]*)"),"packageName":"([^"\\]*)","argument":`,
)
const startOfEnd = ',"signatories":['
const end = new RegExp(
  String.raw`,("signatories":\[([^\]\\]*)\],"observers":\[([^\]\\]*)\]),"createdAt":(-?\d+)\},` +
    String.raw`"witnesses":\[([^\]\\]*)\]\}$`,
  'y',
)

/** Undefined for any other text. */
function writtenCreate(text: string): Node | undefined {
  const begun = beginning.exec(text)
  end.lastIndex = Math.max(0, text.lastIndexOf(startOfEnd))
  const ended = end.exec(text)
  if (begun === null || ended === null) return undefined
  const [start, nodeId, ids, contractId, templateId, packageName] = begun as unknown as Texts
  const [, stakeholders, signatories, observers, createdAt, witnesses] = ended as unknown as Texts
  const contract = new WrittenContract(
    { contractId, templateId, packageName, createdAt: Number(createdAt) },
    { ids, argument: text.slice(start.length, ended.index), stakeholders },
    partiesIn(signatories),
    partiesIn(observers),
  )
  return { kind: 'create', nodeId: Number(nodeId), contract, witnesses: partiesIn(witnesses) }
}

type Texts = readonly [string, string, string, string, string, string]

class WrittenContract implements Contract {
  readonly contractId: string
  readonly templateId: string
  readonly packageName: string
  readonly createdAt: number
  readonly texts: ContractTexts
  readonly signatories: readonly Party[]
  readonly observers: readonly Party[]

  constructor(
    {
      contractId,
      templateId,
      packageName,
      createdAt,
    }: Pick<Contract, 'contractId' | 'templateId' | 'packageName' | 'createdAt'>,
    texts: ContractTexts,
    signatories: readonly Party[],
    observers: readonly Party[],
  ) {
    this.contractId = contractId
    this.templateId = templateId
    this.packageName = packageName
    this.createdAt = createdAt
    this.texts = texts
    this.signatories = signatories
    this.observers = observers
  }

  get argument(): DamlRecord {
    return JSON.parse(this.texts.argument)
  }

  get createdEventBlob(): string {
    return blobOf(this)
  }
}

/** Those of a list without its brackets. */
function partiesIn(list: string): readonly Party[] {
  return list === '' ? [] : list.slice(1, -1).split('","')
}
