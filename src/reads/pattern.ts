import { isJsonObject } from '../lib/canonical-json.ts'
import { decimalText } from './decimal.ts'
import { canonicalInstant, timeText } from './instant.ts'
import { isParty } from './party.ts'

/**
 * The shape of a JSON value, as data without code, derived from a zod schema. Patterns are for
 * programs without zod, such as the client in a browser.
 */
export type Pattern =
  | Leaf
  | { readonly list: Pattern }
  /** A list of strings whose order means nothing. */
  | { readonly set: Pattern }
  | { readonly record: Pattern }
  | { readonly object: Readonly<Record<string, Pattern>> }
  | { readonly nullable: Pattern }
  | { readonly optional: Pattern }
  | { readonly default: Plain; readonly of: Pattern }
  | { readonly firstOf: readonly Pattern[] }
  | { readonly oneOf: readonly Plain[] }
  /** A string of at most this many characters, or a list of at most this many elements. */
  | { readonly atMost: number; readonly of: Pattern }
  | { readonly atLeast: number; readonly of: Pattern }
  /**
   * A page token, which the daemon always rejects. The string tells the caller what to do instead.
   */
  | { readonly refused: string }

export type Plain = null | boolean | number | string

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
  party: (value: unknown) => isString(value) && isParty(value),
  'json object': isJsonObject,
  json: isJson,
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

export function isJson(value: unknown): boolean {
  return value !== undefined
}

export function isInstant(text: string): boolean {
  return canonicalInstant(text) !== undefined
}

function isString(value: unknown): value is string {
  return typeof value === 'string'
}
