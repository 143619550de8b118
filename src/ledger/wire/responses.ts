import { instant } from '../contract-json.ts'
import type { OffsetCheckpoint } from '../update.ts'
import type { DamlValue } from '../value.ts'
import type {
  CreatedEvent,
  DeliveredContract,
  DeliveredUpdate,
  Event,
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
    case 'transaction': {
      const { kind, events, effectiveAt, offset, synchronizerId, recordTime, ...ids } = update
      return {
        ...ids,
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

function eventJson(event: Event): unknown {
  switch (event.kind) {
    case 'created':
      return { CreatedEvent: createdJson(event) }
    case 'archived': {
      const { kind, ...rest } = event
      return { ArchivedEvent: rest }
    }
    case 'exercised': {
      const { kind, choiceArgument, exerciseResult, ...rest } = event
      const { offset, nodeId, contractId, templateId, interfaceId, choice, ...after } = rest
      const { actingParties, consuming, witnessParties, lastDescendantNodeId, ...last } = after
      return {
        ExercisedEvent: {
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
          ...last,
        },
      }
    }
  }
}

function createdJson({ kind, ...event }: CreatedEvent): unknown {
  // Spread in this order, each member keeps its place.
  return {
    ...event,
    createArgument: withoutTrailingNulls(event.createArgument),
    interfaceViews: event.interfaceViews.map((view) => ({
      ...view,
      viewValue: withoutTrailingNulls(view.viewValue),
    })),
    createdAt: instant(event.createdAt),
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
 * its value.
 */
export function withoutTrailingNulls(value: DamlValue): DamlValue {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(withoutTrailingNulls)
  const members = Object.entries(value)
  if (typeof (value as Record<string, unknown>)['tag'] !== 'string' || members.length !== 2)
    while (members.at(-1)?.[1] === null) members.pop()
  return Object.fromEntries(members.map(([name, member]) => [name, withoutTrailingNulls(member)]))
}
