import { instant } from '../contract-json.ts'
import { Holding } from '../daml/packages.ts'
import {
  type ActiveContract,
  type CreateNode,
  contractChangesOf,
  type ExerciseNode,
  type OffsetCheckpoint,
  type PartyAllocated,
  type Transaction,
  type Update,
} from '../update.ts'
import type { DamlRecord, DamlValue, Party } from '../value.ts'
import {
  type EventFormat,
  EventSelection,
  type Selected,
  type TransactionShape,
  type UpdateFormat,
} from './formats.ts'

// This file prints updates and contracts as one reader gets them, in the JSON of Canton's JSON Ledger
// API and with the fields in Canton's order. A field without a value is null.

/** One element of a list or stream as JSON text, such as `{"update": ...}` or an active contract. */
export interface Element {
  readonly offset: number
  readonly text: string
}

type ElementKind = 'update' | 'completionResponse'

/** Returns undefined if the reader does not get the update. */
export type PrintUpdate = (update: Update) => Element | undefined

/**
 * The ledger has one synchronizer and therefore no reassignments. The reader has the right to what
 * the format asks for.
 */
export function updatePrinter({ transactions, topology }: UpdateFormat): PrintUpdate {
  const selection = transactions && new EventSelection(transactions.events)
  return (update) => {
    if (update.kind === 'party') {
      if (topology === undefined || !(topology.length === 0 || topology.includes(update.party)))
        return undefined
      return elementOf('update', update.offset, 'TopologyTransaction', topologyJson(update))
    }
    if (selection === undefined) return undefined
    const events = eventsOf(update, selection, transactions?.shape ?? 'ACS_DELTA')
    if (events.length === 0) return undefined
    const commandId = selection.among(update.actAs).length > 0 ? update.commandId : ''
    return elementOf('update', update.offset, 'Transaction', transactionJson(update, commandId, events))
  }
}

export function checkpointPrinter(kind: ElementKind): (checkpoint: OffsetCheckpoint) => Element {
  return (of) => elementOf(kind, of.offset, 'OffsetCheckpoint', checkpointJson(of))
}

/**
 * Prints the completions of commands.
 * @param user whose commands are completed; undefined for those of all users.
 * @param parties an empty list stands for all parties.
 */
export function completionPrinter(user: string | undefined, parties: readonly Party[]): PrintUpdate {
  return (update) => {
    if (update.kind !== 'transaction' || (user ?? update.userId) !== update.userId) return undefined
    const actAs =
      parties.length === 0 ? update.actAs : update.actAs.filter((party) => parties.includes(party))
    if (actAs.length === 0) return undefined
    return elementOf('completionResponse', update.offset, 'Completion', completionJson(update, actAs))
  }
}

/**
 * Shows a contract only to readers of one of its stakeholders.
 * @param tokenOf makes the token with which a later request goes on after the contract.
 */
export function contractPrinter(
  format: EventFormat,
  tokenOf: (active: ActiveContract) => string,
): (active: ActiveContract) => (Element & { readonly nodeId: number }) | undefined {
  const selection = new EventSelection(format)
  return (active) => {
    const { contract, offset, nodeId, synchronizerId } = active
    const selected = selection.select(contract, contract.signatories)
    if (selected === undefined) return undefined
    const createdEvent = createdJson({ contract, nodeId }, offset, selected, true)
    const contractEntry = { JsActiveContract: { createdEvent, synchronizerId, reassignmentCounter: 0 } }
    const text = JSON.stringify({ workflowId: '', contractEntry, streamContinuationToken: tokenOf(active) })
    return { offset, nodeId, text }
  }
}

export function checkpointJson({ offset, synchronizerTimes }: OffsetCheckpoint) {
  return {
    offset,
    synchronizerTimes: synchronizerTimes.map(({ synchronizerId, recordTime }) => ({
      synchronizerId,
      recordTime: instant(recordTime),
    })),
  }
}

function elementOf(kind: ElementKind, offset: number, variant: string, value: object): Element {
  return { offset, text: JSON.stringify({ [kind]: { [variant]: { value } } }) }
}

function topologyJson({
  updateId,
  offset,
  synchronizerId,
  recordTime,
  party,
  participantId,
}: PartyAllocated) {
  const value = {
    partyId: party,
    participantId,
    participantPermission: 'PARTICIPANT_PERMISSION_SUBMISSION',
  }
  return {
    updateId,
    offset,
    synchronizerId,
    recordTime: instant(recordTime),
    events: [{ event: { ParticipantAuthorizationAdded: { value } } }],
    traceContext: null,
  }
}

function transactionJson(transaction: Transaction, commandId: string, events: readonly object[]) {
  const { updateId, effectiveAt, offset, synchronizerId, recordTime } = transaction
  return {
    updateId,
    commandId,
    workflowId: '',
    effectiveAt: instant(effectiveAt),
    events,
    offset,
    synchronizerId,
    traceContext: null,
    recordTime: instant(recordTime),
    externalTransactionHash: null,
    paidTrafficCost: null,
    transactionHash: null,
  }
}

function completionJson(transaction: Transaction, actAs: readonly Party[]) {
  const { commandId, updateId, userId, offset, synchronizerId, recordTime } = transaction
  return {
    commandId,
    status: { code: 0, message: '', details: [] },
    updateId,
    userId,
    actAs,
    submissionId: '',
    deduplicationPeriod: { Empty: {} },
    traceContext: null,
    offset,
    synchronizerTime: { synchronizerId, recordTime: instant(recordTime) },
    paidTrafficCost: 0,
    transactionHash: '',
  }
}

function eventsOf(
  { nodes, offset }: Transaction,
  selection: EventSelection,
  shape: TransactionShape,
): readonly object[] {
  const { created, archived } = contractChangesOf(nodes)
  const changed = new Set([...created.map(({ contractId }) => contractId), ...archived])
  const events: object[] = []
  for (const node of nodes) {
    const contract = node.kind === 'create' ? node.contract : node
    // The event changes the active contracts, unless the transaction both creates and archives the contract.
    const changes = (node.kind === 'create' || node.consuming) && changed.has(contract.contractId)
    if (shape === 'ACS_DELTA' && !changes) continue
    const { signatories } = contract
    const selected = selection.select(contract, shape === 'ACS_DELTA' ? signatories : node.witnesses)
    if (selected === undefined) continue
    const acsDelta = changes && selection.among(signatories).length > 0
    if (node.kind === 'create') events.push({ CreatedEvent: createdJson(node, offset, selected, acsDelta) })
    else if (shape === 'ACS_DELTA') events.push({ ArchivedEvent: archivedJson(node, offset, selected) })
    else events.push({ ExercisedEvent: exercisedJson(node, offset, selected, acsDelta) })
  }
  return events
}

function createdJson(
  { contract, nodeId }: Pick<CreateNode, 'contract' | 'nodeId'>,
  offset: number,
  { witnessParties, hasBlob, viewed }: Selected,
  acsDelta: boolean,
) {
  const { contractId, templateId, packageName, argument, signatories, createdAt } = contract
  return {
    offset,
    nodeId,
    contractId,
    templateId,
    contractKey: null,
    contractKeyHash: '',
    createArgument: withoutTrailingNulls(argument),
    createdEventBlob: hasBlob ? contract.createdEventBlob : '',
    interfaceViews: viewsOf(argument, viewed),
    witnessParties,
    signatories,
    observers: [],
    createdAt: instant(createdAt),
    packageName,
    representativePackageId: templateId.slice(0, templateId.indexOf(':')),
    acsDelta,
  }
}

const holdingId = `${Holding.package.id}:${Holding.name}`

function viewsOf(argument: DamlRecord, viewed: Selected['viewed']): readonly object[] {
  if (viewed?.holding === undefined) return []
  return [
    {
      interfaceId: holdingId,
      viewStatus: { code: 0, message: '', details: [] },
      viewValue: withoutTrailingNulls(viewed.holding(argument)),
      implementationPackageId: viewed.package.id,
    },
  ]
}

function archivedJson(
  { nodeId, contractId, templateId, packageName }: ExerciseNode,
  offset: number,
  { witnessParties, viewed }: Selected,
) {
  const implementedInterfaces = viewed === undefined ? [] : [holdingId]
  return { offset, nodeId, contractId, templateId, witnessParties, packageName, implementedInterfaces }
}

function exercisedJson(
  node: ExerciseNode,
  offset: number,
  { witnessParties, viewed }: Selected,
  acsDelta: boolean,
) {
  const { nodeId, contractId, templateId, choice, argument, actingParties, consuming } = node
  return {
    offset,
    nodeId,
    contractId,
    templateId,
    // No choice of this ledger belongs to an interface.
    interfaceId: null,
    choice,
    choiceArgument: withoutTrailingNulls(argument),
    actingParties,
    consuming,
    witnessParties,
    lastDescendantNodeId: node.lastDescendantNodeId,
    exerciseResult: withoutTrailingNulls(node.result),
    packageName: node.packageName,
    implementedInterfaces: consuming && viewed !== undefined ? [holdingId] : [],
    acsDelta,
  }
}

/**
 * Removes null fields at the ends of records, as Canton does for optional fields that are None. A
 * record of `tag` and one other field is a variant, which keeps its null.
 */
function withoutTrailingNulls(value: DamlValue): DamlValue {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(withoutTrailingNulls)
  const members = Object.entries(value as DamlRecord)
  if (typeof (value as DamlRecord)['tag'] !== 'string' || members.length !== 2)
    while (members.at(-1)?.[1] === null) members.pop()
  return Object.fromEntries(members.map(([name, member]) => [name, withoutTrailingNulls(member)]))
}
