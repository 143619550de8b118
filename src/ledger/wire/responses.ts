import { instant } from '../contract-json.ts'
import type { OffsetCheckpoint, Transaction } from '../update.ts'
import type { DamlRecord, DamlValue } from '../value.ts'
import type {
  CreatedEvent,
  DeliveredContract,
  DeliveredTransaction,
  DeliveredUpdate,
  Event,
  ExercisedEvent,
  InterfaceView,
  TopologyEvent,
} from '../visibility/delivered.ts'

// This file writes updates and contracts as the JSON of Canton's JSON Ledger API, with the fields
// in Canton's order. A field without a value is null.

export function updateText(update: DeliveredUpdate | OffsetCheckpoint): string {
  return JSON.stringify({ update: { [variants[update.kind]]: { value: valueJson(update) } } })
}

export function completionText(of: Transaction | OffsetCheckpoint): string {
  if (of.kind === 'offset-checkpoint')
    return JSON.stringify({ completionResponse: { OffsetCheckpoint: { value: valueJson(of) } } })
  const { commandId, updateId, userId, actAs, offset, synchronizerId, recordTime } = of
  const value = {
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
  return JSON.stringify({ completionResponse: { Completion: { value } } })
}

export function contractText(
  { workflowId, createdEvent, synchronizerId }: DeliveredContract,
  streamContinuationToken: string,
): string {
  const active = { createdEvent: createdJson(createdEvent), synchronizerId, reassignmentCounter: 0 }
  return JSON.stringify({ workflowId, contractEntry: { JsActiveContract: active }, streamContinuationToken })
}

const variants = {
  transaction: 'Transaction',
  'offset-checkpoint': 'OffsetCheckpoint',
  'topology-transaction': 'TopologyTransaction',
} as const

function valueJson(update: DeliveredUpdate | OffsetCheckpoint): object {
  switch (update.kind) {
    case 'transaction':
      return transactionJson(update)
    case 'topology-transaction': {
      const { kind, events, recordTime, ...place } = update
      return {
        ...place,
        recordTime: instant(recordTime),
        events: events.map(topologyEventJson),
        traceContext: null,
      }
    }
    case 'offset-checkpoint':
      return { offset: update.offset, synchronizerTimes: synchronizerTimesJson(update) }
  }
}

export function synchronizerTimesJson({ synchronizerTimes }: OffsetCheckpoint) {
  return synchronizerTimes.map(({ synchronizerId, recordTime }) => ({
    synchronizerId,
    recordTime: instant(recordTime),
  }))
}

function transactionJson(transaction: DeliveredTransaction): object {
  const { updateId, commandId, workflowId, effectiveAt, events, offset, synchronizerId, recordTime } =
    transaction
  return {
    updateId,
    commandId,
    workflowId,
    effectiveAt: instant(effectiveAt),
    events: events.map(eventJson),
    offset,
    synchronizerId,
    traceContext: null,
    recordTime: instant(recordTime),
    externalTransactionHash: null,
    paidTrafficCost: null,
    transactionHash: null,
  }
}

function eventJson(event: Event): object {
  switch (event.kind) {
    case 'created':
      return { CreatedEvent: createdJson(event) }
    case 'archived': {
      const { kind, ...rest } = event
      return { ArchivedEvent: rest }
    }
    case 'exercised':
      return { ExercisedEvent: exercisedJson(event) }
  }
}

function exercisedJson({ kind, choiceArgument, exerciseResult, ...rest }: ExercisedEvent): object {
  const { offset, nodeId, contractId, templateId, interfaceId, choice, actingParties, consuming } = rest
  const { witnessParties, lastDescendantNodeId, packageName, implementedInterfaces, acsDelta } = rest
  return {
    offset,
    nodeId,
    contractId,
    templateId,
    interfaceId,
    choice,
    choiceArgument: withoutTrailingNulls(choiceArgument),
    actingParties,
    consuming,
    witnessParties,
    lastDescendantNodeId,
    exerciseResult: withoutTrailingNulls(exerciseResult),
    packageName,
    implementedInterfaces,
    acsDelta,
  }
}

function createdJson(event: CreatedEvent): object {
  const { contractId, templateId, packageName, argument, signatories, observers, createdAt } = event.contract
  return {
    offset: event.offset,
    nodeId: event.nodeId,
    contractId,
    templateId,
    contractKey: null,
    contractKeyHash: '',
    createArgument: withoutTrailingNulls(argument),
    createdEventBlob: event.createdEventBlob,
    interfaceViews: event.interfaceViews.map(viewJson),
    witnessParties: event.witnessParties,
    signatories,
    observers,
    createdAt: instant(createdAt),
    packageName,
    representativePackageId: templateId.slice(0, templateId.indexOf(':')),
    acsDelta: event.acsDelta,
  }
}

function viewJson(view: InterfaceView): unknown {
  return { ...view, viewValue: withoutTrailingNulls(view.viewValue) }
}

function topologyEventJson({ partyId, participantId, participantPermission }: TopologyEvent): unknown {
  const value = {
    partyId,
    participantId,
    participantPermission: `PARTICIPANT_PERMISSION_${participantPermission}`,
  }
  return { event: { ParticipantAuthorizationAdded: { value } } }
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
