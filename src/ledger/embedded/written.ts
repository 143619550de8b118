import { blobOf } from '../daml/blob.ts'
import type { Contract, Node, Update } from '../update.ts'
import type { DamlRecord, Party } from '../value.ts'
import { decodeNode, decodeTransaction, decodeUpdate, type StoredUpdate } from './encoding.ts'
import type { Identity } from './identity.ts'

/**
 * The update whose texts these are, for who prints most of it as it was written: the argument of what it creates is
 * parsed when it is asked for.
 */
export function writtenUpdate(update: StoredUpdate, identity: Identity): Update {
  if (update.kind === 'party') return decodeUpdate(update, identity)
  return decodeTransaction(update, identity, (text) => writtenCreate(text) ?? decodeNode(text))
}

// A create node as `encode` prints it, with ids and parties that need no escapes. No string inside of an argument has
// what begins the end, so that the last of these is the node's own.

const beginning = new RegExp(
  String.raw`^\{"kind":"create","nodeId":(\d+),"contract":\{"contractId":"([^"\\]*)",` +
    String.raw`"templateId":"([^"\\]*)","packageName":"([^"\\]*)","argument":`,
)
const startOfEnd = ',"signatories":['
const end = new RegExp(
  String.raw`,"signatories":\[([^\]\\]*)\],"observers":\[([^\]\\]*)\],"createdAt":(-?\d+)\},` +
    String.raw`"witnesses":\[([^\]\\]*)\]\}$`,
  'y',
)

/** Undefined for any other text. */
function writtenCreate(text: string): Node | undefined {
  const begun = beginning.exec(text)
  end.lastIndex = Math.max(0, text.lastIndexOf(startOfEnd))
  const ended = end.exec(text)
  if (begun === null || ended === null) return undefined
  const argument = text.slice(begun[0].length, ended.index)
  const nodeId = Number(begun[1])
  const contract = new WrittenContract(begun, argument, ended)
  return { kind: 'create', nodeId, contract, witnesses: partiesIn(ended[4] as string) }
}

class WrittenContract implements Contract {
  readonly contractId: string
  readonly templateId: string
  readonly packageName: string
  readonly argumentJson: string
  readonly signatories: readonly Party[]
  readonly observers: readonly Party[]
  readonly createdAt: number

  constructor(
    [, , contractId, templateId, packageName]: RegExpExecArray,
    argumentJson: string,
    [, signatories, observers, createdAt]: RegExpExecArray,
  ) {
    this.contractId = contractId as string
    this.templateId = templateId as string
    this.packageName = packageName as string
    this.argumentJson = argumentJson
    this.signatories = partiesIn(signatories as string)
    this.observers = partiesIn(observers as string)
    this.createdAt = Number(createdAt)
  }

  get argument(): DamlRecord {
    return JSON.parse(this.argumentJson)
  }

  get createdEventBlob(): string {
    return blobOf(this)
  }
}

/** Those of a list without its brackets. */
function partiesIn(list: string): readonly Party[] {
  return list === '' ? [] : list.slice(1, -1).split('","')
}
