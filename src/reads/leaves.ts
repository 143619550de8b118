import { isJsonObject } from '../lib/canonical-json.ts'
import { decimalText } from './decimal.ts'
import { isInstant, timeText } from './instant.ts'
import {
  isOtherBatch,
  isOtherCommandStatus,
  isOtherHistoryItem,
  isOtherReassignment,
  isOtherRewardStatus,
  isOtherTreeEvent,
  isOtherUpdate,
} from './other-kinds.ts'
import { isParty } from './party.ts'

/**
 * A simple type of value. `time` and `instant` are times with any offset. Of a `time`, a `decimal`
 * and a `set`, only one of several texts with the same meaning is read (quorum.md#comparing-votes).
 */
export type Leaf = keyof typeof leaves

export const leaves = {
  string: isString,
  boolean: (value: unknown) => typeof value === 'boolean',
  number: (value: unknown) => Number.isFinite(value),
  integer: (value: unknown) => Number.isSafeInteger(value),
  'page size': (value: unknown) => Number.isSafeInteger(value),
  null: (value: unknown) => value === null,
  time: (value: unknown) => isString(value) && isInstant(value),
  decimal: isString,
  instant: (value: unknown) => isString(value) && isInstant(value),
  party: isPartyText,
  'one party': isPartyText,
  'json object': isJsonObject,
  'open object': isJsonObject,
  json: isJson,
  'other tree event': isOtherTreeEvent,
  'other command status': isOtherCommandStatus,
  'other reward status': isOtherRewardStatus,
  'other batch': isOtherBatch,
  'other update': isOtherUpdate,
  'other reassignment': isOtherReassignment,
  'other history item': isOtherHistoryItem,
} as const

/** The leaves whose values are taken as they come, in canonical order. */
export const freeForms: ReadonlySet<Leaf> = new Set<Leaf>([
  'json',
  'json object',
  'other tree event',
  'other command status',
  'other reward status',
  'other batch',
  'other update',
  'other reassignment',
  'other history item',
])

/** The leaves that are read in one of several texts with the same meaning. */
export const textOf: Readonly<Partial<Record<Leaf, (text: string) => string>>> = {
  time: timeText,
  decimal: decimalText,
}

/** Returns the texts themselves if they are sorted already. */
export function inOrder(texts: string[]): string[] {
  return texts.every((text, at) => at === 0 || (texts[at - 1] as string) <= text) ? texts : texts.toSorted()
}

function isJson(value: unknown): boolean {
  return value !== undefined
}

function isString(value: unknown): value is string {
  return typeof value === 'string'
}

function isPartyText(value: unknown): boolean {
  return isString(value) && isParty(value)
}
