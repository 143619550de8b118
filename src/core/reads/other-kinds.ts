import { isJsonObject } from '../../base/lib/canonical-json.ts'
import { isInstant, timeText } from './instant.ts'

type Predicate = (value: unknown) => boolean

/**
 * Whether a value is an object of a kind that this release does not know. The daemon takes such an
 * object as it came (quorum.md#kinds-of-newer-releases).
 */
export const isOtherTreeEvent = ofOtherKind('event_type', ['created_event', 'exercised_event'])
export const isOtherCommandStatus = ofOtherKind('status', ['created', 'sent', 'failed'])
export const isOtherRewardStatus = ofOtherKind('status', ['Ok', 'Undetermined', 'CannotProvide'])
export const isOtherBatch = ofOtherKind('batch_type', ['BatchOfBatches', 'BatchOfMintingAllowances'])

function ofOtherKind(tag: string, known: readonly string[]): Predicate {
  return (value) => {
    const kind = isJsonObject(value) && Object.hasOwn(value, tag) ? value[tag] : undefined
    return typeof kind === 'string' && !known.includes(kind)
  }
}

export interface RecordedUpdate {
  readonly migrationId: number
  readonly recordTime: string
}

/** An update that is neither a transaction nor a reassignment. */
export function isOtherUpdate(value: unknown): boolean {
  return isWithout(value, 'events_by_id', 'event') && recordedIn(value) !== undefined
}

/** The event of a reassignment that is neither an assignment nor an unassignment. */
export function isOtherReassignment(value: unknown): boolean {
  return isWithout(value, 'created_event', 'contract_id') && Number.isSafeInteger(value['migration_id'])
}

/** An item of the history of events that has neither an update nor a verdict. */
export function isOtherHistoryItem(value: unknown): boolean {
  return isWithout(value, 'update', 'verdict') && recordedIn(value) !== undefined
}

function isWithout(
  value: unknown,
  ...members: readonly string[]
): value is Readonly<Record<string, unknown>> {
  return isJsonObject(value) && members.every((member) => (value[member] ?? null) === null)
}

/** Returns when an object, or a member of it, says that it was recorded. */
export function recordedIn(value: Readonly<Record<string, unknown>>): RecordedUpdate | undefined {
  const parts = partsOf(value)
  const migrationId = parts.map((part) => part['migration_id']).find(Number.isSafeInteger)
  const time = parts.map((part) => part['record_time']).find(isTimeText)
  if (migrationId === undefined || time === undefined) return undefined
  return { migrationId: migrationId as number, recordTime: timeText(time) }
}

/** Returns an object and those of its members that are objects, in the order of their names. */
export function partsOf(
  value: Readonly<Record<string, unknown>>,
): readonly Readonly<Record<string, unknown>>[] {
  const names = Object.keys(value).sort()
  return [value, ...names.map((name) => value[name]).filter(isJsonObject)]
}

function isTimeText(value: unknown): value is string {
  return typeof value === 'string' && isInstant(value)
}
