import { endOfString, hasMoreValues, parseJsonText, readByToken, tryJsonText } from './parse-json-text.ts'

/**
 * A JSON value from `parseJson`. A number that would lose digits as a JavaScript number is an
 * object instead.
 */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/**
 * Thrown if a text is not JSON (`isJson` is false), exceeds a limit, or could be read differently
 * by two honest parsers.
 */
export class MisshapenJson extends Error {
  override readonly name = 'MisshapenJson'
  readonly isJson: boolean

  constructor(message: string, isJson = true) {
    super(message)
    this.isJson = isJson
  }
}

const exact = exactJson(JSON)

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export interface JsonLimits {
  readonly maxDepth?: number
  /**
   * The maximum number of commas and opening brackets, which bounds the list elements and object
   * fields; no limit by default. It is checked before parsing, because each parsed element occupies
   * memory. If it is set, a single list or object may have at most 65,536 elements.
   */
  readonly maxElements?: number
}

/**
 * Parses JSON in UTF-8 without losing digits: `canonicalJson` writes each number with all its
 * digits. Equal numbers get equal texts: `12345678901234567890.0` becomes `1234567890123456789e1`.
 * @throws MisshapenJson for bad syntax or UTF-8, a repeated key, a lone surrogate, an exponent of
 * more than 15 digits, or an exceeded limit
 */
export function parseJson(body: Uint8Array | string, limits: JsonLimits = {}): Json {
  const { maxDepth = 64, maxElements } = limits
  const text = typeof body === 'string' ? body : decode(body)
  // `hasMoreValues` also counts the outermost value, which is not an element.
  if (maxElements !== undefined && hasMoreValues(text, maxElements + 1, { mostInOne, maxDepth }))
    throw new MisshapenJson(`more than ${maxElements} elements, or ${mostInOne} in one`)
  if (body === text && !text.isWellFormed()) throw new MisshapenJson('the text holds a lone surrogate')
  // The depth is checked first: for each level, the engine needs memory that no limit of the heap counts.
  const seen = inspect(text, maxDepth)
  const plain = tryJsonText(text) as Json | undefined
  const value = plain === undefined || seen.rounds ? parse(text, seen.rounds) : plain
  if (countMembers(value) !== seen.members) throw new MisshapenJson('a key is repeated')
  if (seen.escapes && !isWellFormed(value)) throw new MisshapenJson('a string holds a lone surrogate')
  return value
}

export function isJsonObject(value: unknown): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !exact.isRaw(value)
}

/** Sorts keys and omits white space, so that equal values have equal texts. */
export function canonicalJson(value: Json): string {
  return exact.print(sortKeys(value))
}

export function canonicalOrder(value: unknown): Json {
  return sortKeys(value as Json)
}

function decode(body: Uint8Array): string {
  try {
    return decoder.decode(body)
  } catch {
    throw new MisshapenJson('the body is not UTF-8', false)
  }
}

function parse(text: string, rounds: boolean): Json {
  try {
    const value = parseJsonText(text)
    return (rounds ? readByToken(text, keepDigits) : value) as Json
  } catch (error) {
    if (error instanceof MisshapenJson) throw error
    throw new MisshapenJson('the body is not JSON', false)
  }
}

function keepDigits(source: string): object | undefined {
  return isExact(source) ? undefined : exact.raw(decimal(source))
}

/**
 * In an object with more fields, each field costs the engine many times more. No scan's answer has
 * so large a list or object.
 */
const mostInOne = 65_536

const quote = 34
const comma = 44
const minus = 45
const colon = 58

function inspect(text: string, maxDepth: number): { members: number; rounds: boolean; escapes: boolean } {
  let depth = 0
  let members = 0
  let rounds = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      at = endOfString(text, at)
    } else if (code === colon) {
      members++
    } else if (code === 123 || code === 91) {
      if (++depth > maxDepth) throw new MisshapenJson(`more than ${maxDepth} levels`)
    } else if (code === 125 || code === 93) {
      depth--
    } else if (code === minus || (code >= 48 && code <= 57)) {
      const end = endOfNumber(text, at)
      if (!rounds && !isExact(text.slice(at, end))) rounds = true
      at = end - 1
    }
  }
  return { members, rounds, escapes: text.includes('\\u') }
}

function endOfNumber(text: string, start: number): number {
  let at = start + 1
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === comma || code === 125 || code === 93 || code <= 32) break
  }
  return at
}

/**
 * Whether a number keeps all its digits when it is parsed and printed. `0.1` does, although a
 * double only approximates it.
 */
function isExact(source: string): boolean {
  if (source.length <= 15 && !/[eE]/.test(source)) return true
  const read = Number(source)
  return Number.isFinite(read) && decimal(String(read)) === decimal(source)
}

/** Removes zeros at either end of the digits: `-120.50e3` becomes `-1205e2`. */
function decimal(source: string): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,15}))?$/.exec(source)
  if (match === null) throw new MisshapenJson('a number has no canonical form')
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match
  const digits = withoutZeros(whole + fraction)
  if (digits.text === '') return '0'
  return `${sign}${digits.text}e${Number(exponent) - fraction.length + digits.dropped}`
}

function withoutZeros(digits: string): { text: string; dropped: number } {
  let start = 0
  while (start < digits.length && digits.charCodeAt(start) === 48) start++
  let end = digits.length
  while (end > start && digits.charCodeAt(end - 1) === 48) end--
  return { text: digits.slice(start, end), dropped: digits.length - end }
}

function countMembers(value: Json): number {
  if (value === null || typeof value !== 'object' || exact.isRaw(value)) return 0
  let count = 0
  if (Array.isArray(value)) {
    for (const item of value) count += countMembers(item as Json)
    return count
  }
  for (const key of Object.keys(value))
    count += 1 + countMembers((value as Record<string, Json>)[key] as Json)
  return count
}

function isWellFormed(value: Json): boolean {
  if (typeof value === 'string') return value.isWellFormed()
  if (value === null || typeof value !== 'object') return true
  if (Array.isArray(value)) return value.every(isWellFormed)
  return Object.entries(value).every(([key, member]) => key.isWellFormed() && isWellFormed(member as Json))
}

function sortKeys(value: Json): Json {
  if (value === null || typeof value !== 'object' || exact.isRaw(value)) return value
  if (Array.isArray(value)) return value.map(sortKeys)
  const sorted: Record<string, Json> = {}
  for (const key of Object.keys(value).sort())
    define(sorted, key, sortKeys((value as Record<string, Json>)[key] as Json))
  return sorted
}

function define(target: Record<string, Json>, key: string, value: Json): void {
  if (key === '__proto__') Object.defineProperty(target, key, { value, enumerable: true })
  else target[key] = value
}

export interface ExactJson {
  raw(text: string): object
  isRaw(value: unknown): boolean
  print(value: unknown): string
}

/** Node 21, Chrome 114, Firefox 135, Safari 18.4 and later have all of these methods of `JSON`. */
export interface NativeJson extends Partial<Pick<JSON, 'parse'>> {
  rawJSON?(text: string): object
  isRawJSON?(value: unknown): boolean
}

export function exactJson({ rawJSON: raw, isRawJSON: isRaw }: NativeJson): ExactJson {
  if (raw === undefined || isRaw === undefined) return byHand()
  return { raw, isRaw, print: JSON.stringify }
}

function byHand(): ExactJson {
  const made = new WeakMap<object, string>()
  const textOf = (value: unknown) =>
    typeof value === 'object' && value !== null ? made.get(value) : undefined
  return {
    raw(text) {
      const raw = Object.freeze(Object.assign(Object.create(null) as object, { rawJSON: text }))
      made.set(raw, text)
      return raw
    },
    isRaw: (value) => textOf(value) !== undefined,
    print(value) {
      const raw = textOf(value)
      if (raw !== undefined) return raw
      if (Array.isArray(value)) return `[${value.map((item) => this.print(item)).join(',')}]`
      if (typeof value !== 'object' || value === null) return JSON.stringify(value)
      const members = Object.entries(value)
        .filter(([, member]) => member !== undefined)
        .map(([key, member]) => `${JSON.stringify(key)}:${this.print(member)}`)
      return `{${members.join(',')}}`
    },
  }
}
