import { parseJsonText } from '../../lib/parse-json-text.ts'
import { instant } from '../contract-json.ts'
import type { Contract, OffsetCheckpoint, Transaction } from '../update.ts'
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
  return `{"update":{"${variants[update.kind]}":{"value":${valueText(update)}}}}`
}

export function completionText(of: Transaction | OffsetCheckpoint): string {
  if (of.kind === 'offset-checkpoint')
    return `{"completionResponse":{"OffsetCheckpoint":{"value":${valueText(of)}}}}`
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
  const place = `"synchronizerId":${JSON.stringify(synchronizerId)},"reassignmentCounter":0`
  const active = `{"JsActiveContract":{"createdEvent":${createdText(createdEvent)},${place}}}`
  const token = JSON.stringify(streamContinuationToken)
  return `{"workflowId":${JSON.stringify(workflowId)},"contractEntry":${active},"streamContinuationToken":${token}}`
}

const variants = {
  transaction: 'Transaction',
  'offset-checkpoint': 'OffsetCheckpoint',
  'topology-transaction': 'TopologyTransaction',
} as const

function valueText(update: DeliveredUpdate | OffsetCheckpoint): string {
  switch (update.kind) {
    case 'transaction':
      return transactionText(update)
    case 'topology-transaction': {
      const { kind, events, recordTime, ...place } = update
      return JSON.stringify({
        ...place,
        recordTime: instant(recordTime),
        events: events.map(topologyEventJson),
        traceContext: null,
      })
    }
    case 'offset-checkpoint':
      return JSON.stringify({ offset: update.offset, synchronizerTimes: synchronizerTimesJson(update) })
  }
}

export function synchronizerTimesJson({ synchronizerTimes }: OffsetCheckpoint) {
  return synchronizerTimes.map(({ synchronizerId, recordTime }) => ({
    synchronizerId,
    recordTime: instant(recordTime),
  }))
}

// Most of the output is transactions, so their JSON is concatenated for speed. Ids and package
// names are not escaped, because they contain no character that JSON escapes.

function transactionText(transaction: DeliveredTransaction): string {
  const { updateId, commandId, workflowId, effectiveAt, events, offset, synchronizerId, recordTime } =
    transaction
  return (
    `{"updateId":"${updateId}","commandId":${JSON.stringify(commandId)},"workflowId":${JSON.stringify(workflowId)},` +
    `"effectiveAt":"${instant(effectiveAt)}","events":[${eventTexts(events)}],` +
    `"offset":${offset},"synchronizerId":"${synchronizerId}","traceContext":null,` +
    `"recordTime":"${instant(recordTime)}","externalTransactionHash":null,"paidTrafficCost":null,` +
    `"transactionHash":null}`
  )
}

function eventTexts(events: readonly Event[]): string {
  let text = ''
  for (const event of events) text += text === '' ? eventText(event) : `,${eventText(event)}`
  return text
}

function eventText(event: Event): string {
  switch (event.kind) {
    case 'created':
      return `{"CreatedEvent":${createdText(event)}}`
    case 'archived': {
      const { kind, ...rest } = event
      return JSON.stringify({ ArchivedEvent: rest })
    }
    case 'exercised':
      return JSON.stringify({ ExercisedEvent: exercisedJson(event) })
  }
}

function exercisedJson({ kind, choiceArgument, exerciseResult, ...rest }: ExercisedEvent): unknown {
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

function createdText(event: CreatedEvent): string {
  const { contract, interfaceViews, acsDelta } = event
  const { contractId, templateId, signatories, observers } = contract
  const argument = contract.argumentText ?? JSON.stringify(contract.argument)
  const views = interfaceViews.length === 0 ? '[]' : JSON.stringify(interfaceViews.map(viewJson))
  return (
    `{"offset":${event.offset},"nodeId":${event.nodeId},"contractId":"${contractId}","templateId":"${templateId}",` +
    `"contractKey":null,"contractKeyHash":"",` +
    `"createArgument":${withoutNulls(argument)},"createdEventBlob":"${event.createdEventBlob}",` +
    `"interfaceViews":${views},"witnessParties":${JSON.stringify(event.witnessParties)},` +
    `"signatories":${JSON.stringify(signatories)},"observers":${JSON.stringify(observers)},` +
    `"createdAt":"${instant(contract.createdAt)}",${packageText(contract)},"acsDelta":${acsDelta}}`
  )
}

function packageText({ templateId, packageName }: Contract): string {
  const packageId = templateId.slice(0, templateId.indexOf(':'))
  return `"packageName":"${packageName}","representativePackageId":"${packageId}"`
}

function viewJson(view: InterfaceView): unknown {
  return { ...view, viewValue: withoutTrailingNulls(view.viewValue) }
}

function withoutNulls(json: string): string {
  return hasNullAtAnEnd(json) ? JSON.stringify(withoutTrailingNulls(parseJsonText(json) as DamlValue)) : json
}

/** A quick test. It is also true for JSON with a string that contains `:null}`. */
function hasNullAtAnEnd(json: string): boolean {
  for (let end = json.indexOf('}'); end !== -1; end = json.indexOf('}', end + 1))
    if (json.slice(end - ':null'.length, end) === ':null') return true
  return false
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
