import { parseJsonText } from '../../base/lib/parse-json-text.ts'
import type { Random } from '../../base/lib/random.ts'

export type Parsed = null | boolean | number | string | Parsed[] | ParsedObject
export type ParsedObject = { [key: string]: Parsed }

export function parse(body: Buffer): Parsed {
  return parseJsonText(body.toString()) as Parsed
}

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

const exactMark = 'exactly '

/** Returns a placeholder that `stringifyExactly` replaces with the number, keeping all digits. */
export function exactly(digits: string): string {
  return `${exactMark}${digits}`
}

export function stringifyExactly(value: Parsed): string {
  return JSON.stringify(value).replaceAll(new RegExp(`"${exactMark}([\\d.]+)"`, 'g'), '$1')
}
