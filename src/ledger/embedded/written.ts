import { blobOf } from '../daml/blob.ts'
import type { Contract, ContractTexts, CreateNode, Node, Update } from '../update.ts'
import type { DamlRecord, Party } from '../value.ts'
import { decodeHead, decodeNode, decodeUpdate, type StoredUpdate, type TransactionHead } from './encoding.ts'
import type { Identity } from './identity.ts'
import { Scan } from './scan.ts'

/**
 * The update whose texts these are, for who prints most of it as it was written: of what it creates, arguments and
 * parties are parsed when they are asked for.
 */
export function writtenUpdate(update: StoredUpdate, identity: Identity): Update {
  if (update.kind === 'party') return decodeUpdate(update, identity)
  const { offset, updateId, recordTime, head, nodes } = update
  const { commandId, userId, actAs, workflowId, effectiveAt } = writtenHead(head) ?? decodeHead(head)
  return {
    kind: 'transaction',
    offset,
    updateId,
    commandId,
    userId,
    actAs,
    workflowId,
    effectiveAt,
    recordTime,
    synchronizerId: identity.synchronizerId,
    nodes: nodes.map(writtenNode),
  }
}

function writtenNode(text: string): Node {
  return writtenCreate(text) ?? decodeNode(text)
}

const backslash = '\\'

/** What `encode` prints of a transaction, with ids and parties that need no escapes; undefined for any other text. */
function writtenHead(text: string): TransactionHead | undefined {
  const scan = new Scan(text)
  const commandId = scan.between('{"commandId":"', '"')
  const userId = scan.between('","userId":"', '"')
  const actAs = scan.between('","actAs":[', ']')
  const workflowId = scan.between('],"workflowId":"', '"')
  const effectiveAt = scan.between('","effectiveAt":', '}')
  if (!scan.endsWith('}') || text.includes(backslash)) return undefined
  return { commandId, userId, actAs: partiesIn(actAs), workflowId, effectiveAt: Number(effectiveAt) }
}

/** A create node as `encode` prints it, with ids and parties that need no escapes; undefined for any other text. */
function writtenCreate(text: string): CreateNode | undefined {
  const scan = new Scan(text)
  const nodeId = scan.between('{"kind":"create","nodeId":', ',')
  const idsAt = scan.at + ',"contract":{'.length
  const contractId = scan.between(',"contract":{"contractId":"', '"')
  const typeAt = scan.at
  const type = typeIn(scan)
  const argumentAt = scan.at
  if (type === undefined || text.slice(0, argumentAt).includes(backslash)) return undefined
  const ids = text.slice(idsAt, typeAt + type.idLength)
  // The argument may have a member of this name too: the node's own is the one behind which there is nothing else.
  for (let end = text.indexOf(startOfEnd, argumentAt); end !== -1; end = text.indexOf(startOfEnd, end + 1)) {
    const ending = endingAt(text, end)
    if (ending === undefined) continue
    const { stakeholders, informed } = ending
    const texts = { ids, argument: text.slice(argumentAt, end), stakeholders, informed }
    return new WrittenCreate(Number(nodeId), new WrittenContract(contractId, type, texts, ending), ending)
  }
  return undefined
}

interface Type extends Pick<Contract, 'templateId' | 'packageName'> {
  /** From the contract's id to its argument. */
  readonly text: string
  /** Of its part that ends with the template's id. */
  readonly idLength: number
}

/** Contracts that follow on each other are mostly of one template. */
function typeIn(scan: Scan): Type | undefined {
  if (lastType !== undefined && scan.pass(lastType.text)) return lastType
  const templateId = scan.between('","templateId":"', '"')
  const packageName = scan.between('","packageName":"', '"')
  if (!scan.pass('","argument":')) return undefined
  const ids = `","templateId":"${templateId}"`
  const text = `${ids},"packageName":"${packageName}","argument":`
  lastType = { templateId, packageName, text, idLength: ids.length }
  return lastType
}

let lastType: Type | undefined

const startOfEnd = ',"signatories":['

/** Lists of parties are without their brackets. */
interface Ending extends Pick<ContractTexts, 'stakeholders' | 'informed'> {
  readonly signatories: string
  readonly observers: string
  readonly createdAt: string
  readonly witnesses: string
}

/** Undefined where the text does not end with what begins here. */
function endingAt(text: string, start: number): Ending | undefined {
  const scan = new Scan(text, start)
  const signatories = scan.between(startOfEnd, ']')
  const observers = scan.between('],"observers":[', ']')
  const stakeholders = text.slice(start + 1, scan.at + 1)
  const createdAt = scan.between('],"createdAt":', '}')
  const witnesses = scan.between('},"witnesses":[', ']')
  if (!scan.endsWith(']}') || text.includes(backslash, start)) return undefined
  const informed = observers === '' ? `[${signatories}]` : `[${signatories},${observers}]`
  return { signatories, observers, stakeholders, informed, createdAt, witnesses }
}

class WrittenCreate implements CreateNode {
  readonly kind = 'create'
  readonly nodeId: number
  readonly contract: WrittenContract
  readonly #witnesses: string

  constructor(nodeId: number, contract: WrittenContract, { witnesses }: Ending) {
    this.nodeId = nodeId
    this.contract = contract
    this.#witnesses = witnesses
  }

  get witnesses(): readonly Party[] {
    return partiesIn(this.#witnesses)
  }

  get witnessText(): string {
    return `[${this.#witnesses}]`
  }
}

class WrittenContract implements Contract {
  readonly contractId: string
  readonly templateId: string
  readonly packageName: string
  readonly createdAt: number
  readonly texts: ContractTexts
  readonly #ending: Ending

  constructor(contractId: string, { templateId, packageName }: Type, texts: ContractTexts, ending: Ending) {
    this.contractId = contractId
    this.templateId = templateId
    this.packageName = packageName
    this.createdAt = Number(ending.createdAt)
    this.texts = texts
    this.#ending = ending
  }

  get argument(): DamlRecord {
    return JSON.parse(this.texts.argument)
  }

  get signatories(): readonly Party[] {
    return partiesIn(this.#ending.signatories)
  }

  get observers(): readonly Party[] {
    return partiesIn(this.#ending.observers)
  }

  get createdEventBlob(): string {
    return blobOf(this)
  }
}

/** Those of a list without its brackets. */
function partiesIn(list: string): readonly Party[] {
  const parties: Party[] = []
  for (let at = 1, end = list.indexOf('"', at); end !== -1; end = list.indexOf('"', at)) {
    parties.push(list.slice(at, end))
    at = end + '","'.length
  }
  return parties
}
