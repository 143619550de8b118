import { isJsonObject } from '../lib/canonical-json.ts'
import { canonicalInstant, isTime } from './instant.ts'
import { isParty } from './party.ts'

/**
 * The shape of a JSON value, as data without code. `pattern-of.ts` derives it from the zod schema of a read, for
 * programs that do not load zod, such as the client in a browser.
 */
export type Pattern =
  | Leaf
  | { readonly list: Pattern }
  /** An object with any keys. All its values fit this pattern. */
  | { readonly record: Pattern }
  | { readonly object: Readonly<Record<string, Pattern>> }
  | { readonly nullable: Pattern }
  | { readonly optional: Pattern }
  /** A field that gets the value `default` if it is absent. */
  | { readonly default: Plain; readonly of: Pattern }
  /** A value that fits one of these patterns. The first that fits is used. */
  | { readonly firstOf: readonly Pattern[] }
  | { readonly oneOf: readonly Plain[] }
  /** A string of at most this many characters, or a list of at most this many elements. */
  | { readonly atMost: number; readonly of: Pattern }
  | { readonly atLeast: number; readonly of: Pattern }
  /** A page token. Every page token is rejected. The string tells the caller what to do instead. */
  | { readonly refused: string }

export type Plain = null | boolean | number | string

/**
 * The name of a simple type of value. `time` is a UTC time as Splice writes it; `instant` is a time with any
 * offset.
 */
export type Leaf = keyof typeof leaves

/** The checks of the simple types of values, by the name of the type. */
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

/** Accepts any JSON value, but not an absent field. */
export function isJson(value: unknown): boolean {
  return value !== undefined
}

export function isInstant(text: string): boolean {
  return canonicalInstant(text) !== undefined
}

function isString(value: unknown): value is string {
  return typeof value === 'string'
}
