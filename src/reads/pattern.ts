import { isJsonObject } from '../lib/canonical-json.ts'
import { canonicalInstant, isTime } from './instant.ts'
import { isParty } from './party.ts'

/**
 * The shape of a JSON value, as plain data. It follows from a row's schema (`pattern-of.ts`), and can be used where that
 * schema is not loaded.
 */
export type Pattern =
  | Leaf
  | { readonly list: Pattern }
  /** An object with any keys. */
  | { readonly record: Pattern }
  /** An object with these members. */
  | { readonly object: Readonly<Record<string, Pattern>> }
  | { readonly nullable: Pattern }
  /** A member that may be absent. */
  | { readonly optional: Pattern }
  /** A member that gets the value `default` if it is absent. */
  | { readonly default: Plain; readonly of: Pattern }
  /** The first of these patterns that fits. */
  | { readonly firstOf: readonly Pattern[] }
  | { readonly oneOf: readonly Plain[] }
  /** A string or a list of at most this length. */
  | { readonly atMost: number; readonly of: Pattern }
  | { readonly atLeast: number; readonly of: Pattern }
  /** A page token, which is rejected with this advice. */
  | { readonly refused: string }

export type Plain = null | boolean | number | string

/** `time` is in UTC as Splice writes it, `instant` a time with any offset. */
export type Leaf = keyof typeof leaves

/** Whether a JSON value is one of these. */
export const leaves = {
  string: isString,
  boolean: (value: unknown) => typeof value === 'boolean',
  number: (value: unknown) => Number.isFinite(value),
  integer: (value: unknown) => Number.isSafeInteger(value),
  'page size': (value: unknown) => Number.isSafeInteger(value),
  null: (value: unknown) => value === null,
  time: (value: unknown) => isString(value) && isTime(value),
  instant: (value: unknown) => isString(value) && isInstant(value),
  party: (value: unknown) => isString(value) && isParty(value),
  'json object': isJsonObject,
  json: isJson,
} as const

/** Whether a member with any JSON value is present. */
export function isJson(value: unknown): boolean {
  return value !== undefined
}

export function isInstant(text: string): boolean {
  return canonicalInstant(text) !== undefined
}

function isString(value: unknown): value is string {
  return typeof value === 'string'
}
