import { isJsonObject } from '../../base/lib/canonical-json.ts'
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

/** The leaves whose values are taken as they come, in canonical order. */
export const freeForms = {
  'json object': isJsonObject,
  json: isJson,
  'other tree event': isOtherTreeEvent,
  'other command status': isOtherCommandStatus,
  'other reward status': isOtherRewardStatus,
  'other batch': isOtherBatch,
  'other update': isOtherUpdate,
  'other reassignment': isOtherReassignment,
  'other history item': isOtherHistoryItem,
} as const

/**
 * A simple type of value. `time` and `instant` are times with any offset. Of a `time`, a `decimal`
 * and a `set`, only one of several texts with the same meaning is read (quorum.md#comparing-votes).
 */
export type Leaf = keyof typeof leaves

export const leaves = {
  string: isString,
  boolean: (value: unknown) => typeof value === 'boolean',
  integer: Number.isSafeInteger,
  'page size': Number.isSafeInteger,
  time: isTimeText,
  decimal: isString,
  instant: isTimeText,
  party: isPartyText,
  'one party': isPartyText,
  'open object': isJsonObject,
  ...freeForms,
} as const

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

function isTimeText(value: unknown): boolean {
  return isString(value) && isInstant(value)
}
