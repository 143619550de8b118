import type { Random } from '../../lib/random.ts'

/** Any JSON, as `JSON.parse` gives it. */
export type Parsed = null | boolean | number | string | Parsed[] | ParsedObject
export type ParsedObject = { [key: string]: Parsed }

export function parse(body: Buffer): Parsed {
  return JSON.parse(body.toString())
}

/** Calls `visit` with every object of a value, outer ones first, except for those under the keys of `shut`. */
export function eachObject(
  value: Parsed,
  visit: (object: ParsedObject) => void,
  shut: readonly string[] = [],
): void {
  if (value === null || typeof value !== 'object') return
  if (!Array.isArray(value)) visit(value)
  for (const [key, inner] of Object.entries(value)) {
    if (!shut.includes(key)) eachObject(inner, visit, shut)
  }
}

/** The same objects with their keys in another order; arrays keep theirs. */
export function withKeysShuffled(value: Parsed, random: Random): Parsed {
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map((inner) => withKeysShuffled(inner, random))
  const entries = shuffled(Object.entries(value), random)
  return Object.fromEntries(entries.map(([key, inner]) => [key, withKeysShuffled(inner, random)]))
}

export function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  return items
    .map((item) => ({ item, weight: random() }))
    .sort((a, b) => a.weight - b.weight)
    .map(({ item }) => item)
}

/**
 * Says the first key that holds no object twice, the first time with null: `JSON.parse` would take the text for the
 * honest one.
 */
export function withRepeatedKey(text: string): string {
  return text.replace(/\{(\s*"(?:[^"\\]|\\.)*"\s*:)(?!\s*\{)/, (_whole, key: string) => `{${key}null,${key}`)
}

/** Ends the last string value with half a surrogate pair, which the text shows as an escape. */
export function withLoneSurrogate(text: string): string {
  let strings = 0
  JSON.parse(text, (_key, value: Parsed) => {
    if (typeof value === 'string') strings++
    return value
  })
  const value: Parsed = JSON.parse(text, (_key, inner: Parsed) =>
    typeof inner === 'string' && --strings === 0 ? `${inner}\ud800` : inner,
  )
  return JSON.stringify(value)
}

const exactMark = 'exactly '

/** Stands for a number in a value that `stringifyExactly` prints with all its digits. */
export function exactly(digits: string): string {
  return `${exactMark}${digits}`
}

export function stringifyExactly(value: Parsed): string {
  return JSON.stringify(value).replaceAll(new RegExp(`"${exactMark}([\\d.]+)"`, 'g'), '$1')
}
