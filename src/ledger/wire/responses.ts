import { instant } from '../contract-json.ts'
import type { OffsetCheckpoint } from '../update.ts'
import type { DamlRecord, DamlValue } from '../value.ts'
import type {
  CreatedEvent,
  DeliveredContract,
  DeliveredTransaction,
  DeliveredUpdate,
  Event,
  ExercisedEvent,
  ReassignmentEvent,
  TopologyEvent,
} from '../visibility/delivered.ts'

// Canton's JSON form of what is delivered: members in its order, what is absent as null.

/** The text of an element of `/v2/updates`. */
export function updateText(update: DeliveredUpdate | OffsetCheckpoint): string {
  return JSON.stringify({ update: { [variants[update.kind]]: { value: valueFor(update) } } })
}

/** The text of an element of `/v2/state/active-contracts`. @param streamContinuationToken base64 */
export function contractText(
  { workflowId, createdEvent, synchronizerId, reassignmentCounter }: DeliveredContract,
  streamContinuationToken: string,
): string {
  const active = { createdEvent: createdJson(createdEvent), synchronizerId, reassignmentCounter }
  return JSON.stringify({ workflowId, contractEntry: { JsActiveContract: active }, streamContinuationToken })
}

const variants = {
  transaction: 'Transaction',
  reassignment: 'Reassignment',
  'offset-checkpoint': 'OffsetCheckpoint',
  'topology-transaction': 'TopologyTransaction',
} as const

function valueFor(update: DeliveredUpdate | OffsetCheckpoint): unknown {
  switch (update.kind) {
    case 'transaction':
      return transactionJson(update)
    case 'reassignment': {
      const { kind, events, recordTime, synchronizerId, ...place } = update
      return {
        ...place,
        events: events.map(reassignmentEventJson),
        traceContext: null,
        recordTime: instant(recordTime),
        synchronizerId,
        paidTrafficCost: null,
      }
    }
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

// Members one by one: most of what is printed is these, and a spread would copy each of them twice.

function transactionJson(transaction: DeliveredTransaction): unknown {
  return {
    updateId: transaction.updateId,
    commandId: transaction.commandId,
    workflowId: transaction.workflowId,
    effectiveAt: instant(transaction.effectiveAt),
    events: transaction.events.map(eventJson),
    offset: transaction.offset,
    synchronizerId: transaction.synchronizerId,
    traceContext: null,
    recordTime: instant(transaction.recordTime),
    externalTransactionHash: null,
    paidTrafficCost: null,
    transactionHash: null,
  }
}

function eventJson(event: Event): unknown {
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

function exercisedJson(event: ExercisedEvent): unknown {
  return {
    offset: event.offset,
    nodeId: event.nodeId,
    contractId: event.contractId,
    templateId: event.templateId,
    interfaceId: event.interfaceId,
    choice: event.choice,
    choiceArgument: withoutTrailingNulls(event.choiceArgument),
    actingParties: event.actingParties,
    consuming: event.consuming,
    witnessParties: event.witnessParties,
    lastDescendantNodeId: event.lastDescendantNodeId,
    exerciseResult: withoutTrailingNulls(event.exerciseResult),
    packageName: event.packageName,
    implementedInterfaces: event.implementedInterfaces,
    acsDelta: event.acsDelta,
  }
}

function createdJson(event: CreatedEvent): unknown {
  return {
    offset: event.offset,
    nodeId: event.nodeId,
    contractId: event.contractId,
    templateId: event.templateId,
    contractKey: event.contractKey,
    contractKeyHash: event.contractKeyHash,
    createArgument: withoutTrailingNulls(event.createArgument),
    createdEventBlob: event.createdEventBlob,
    interfaceViews: event.interfaceViews.map((view) => ({
      ...view,
      viewValue: withoutTrailingNulls(view.viewValue),
    })),
    witnessParties: event.witnessParties,
    signatories: event.signatories,
    observers: event.observers,
    createdAt: instant(event.createdAt),
    packageName: event.packageName,
    representativePackageId: event.representativePackageId,
    acsDelta: event.acsDelta,
  }
}

function reassignmentEventJson(event: ReassignmentEvent): unknown {
  if (event.kind === 'assigned') {
    const { kind, createdEvent, ...rest } = event
    return { JsAssignmentEvent: { ...rest, createdEvent: createdJson(createdEvent) } }
  }
  const { kind, assignmentExclusivity: until, ...rest } = event
  // Spread a second time for the member's place.
  const assignmentExclusivity = until === null ? null : instant(until)
  return { JsUnassignedEvent: { value: { ...event, ...rest, kind: undefined, assignmentExclusivity } } }
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
 * Canton leaves out fields of a record that are None when none follows that is set. A variant, which has a tag, keeps
 * its value. What has none to leave out is not copied.
 */
function withoutTrailingNulls(value: DamlValue): DamlValue {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return withoutNullsInside(value)
  const record = value as DamlRecord
  const names = Object.keys(record)
  let kept = names.length
  if (typeof record['tag'] !== 'string' || kept !== 2)
    while (kept > 0 && record[names[kept - 1] as string] === null) kept--
  let copy: Record<string, DamlValue> | undefined = kept < names.length ? {} : undefined
  for (const [index, name] of names.entries()) {
    if (index >= kept) break
    const member = record[name] as DamlValue
    const trimmed = withoutTrailingNulls(member)
    if (trimmed !== member)
      copy ??= Object.fromEntries(names.slice(0, index).map((one) => [one, record[one] as DamlValue]))
    if (copy !== undefined) copy[name] = trimmed
  }
  return copy ?? value
}

function withoutNullsInside(list: readonly DamlValue[]): DamlValue {
  const trimmed = list.map(withoutTrailingNulls)
  return trimmed.every((item, index) => item === list[index]) ? list : trimmed
}
