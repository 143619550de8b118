import type { Params, Read } from '../../src/core/reads/read.ts'
import { repeatsParam } from '../../src/core/reads/reading.ts'
import { maxElementsOf } from '../../src/core/reads/request.ts'
import { schemaOf } from '../../src/core/reads/schema.ts'

/** The meaning of a reply, computed in the simplest way. This file shares only `src/core/reads/` with the daemon. */
export type Meaning =
  | { readonly kind: 'value'; readonly canonical: string }
  | { readonly kind: 'refusal'; readonly canonical: string }
  | { readonly kind: 'abstention' | 'fault' }

const fault: Meaning = { kind: 'fault' }
const refusals = [400, 404, 409, 410, 422]
const longestRefusal = 65_536
const mostElementsOfRefusal = 4_096
const noNews = [
  /^No DsoRules contract found/,
  /^(Undetermined|CannotProvide)$/,
  /^The requested resource could not be found/,
]

export function meaningOf(read: Read, params: Params, status: number, bytes: Uint8Array): Meaning {
  if (status === 404 && bytes.length === 0 && read.absent.includes('')) return absence(read, params, '')
  if (status !== 200 && (!refusals.includes(status) || bytes.length > longestRefusal)) return fault
  let value: Value
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    const most = status === 200 ? maxElementsOf({ read, params }, bytes.length) : mostElementsOfRefusal
    if (elementsIn(text) > most) return fault
    value = new Reader(text).read()
  } catch {
    return fault
  }
  if (status === 200) return meaningOrFault(read, params, value)
  const text = isObject(value) && Object.hasOwn(value, 'error') ? value['error'] : undefined
  if (typeof text !== 'string') return fault
  return status === 404 ? absence(read, params, text) : refusal(status, text)
}

/** Counts commas and opening brackets outside of texts. */
function elementsIn(text: string): number {
  return text.replace(/"(?:[^"\\]|\\.)*"/gs, '').replace(/[^,[{]/g, '').length
}

function refusal(status: number, text: string): Meaning {
  return { kind: 'refusal', canonical: canonicalOf({ error: text, status }) }
}

function absence(read: Read, params: Params, said: string): Meaning {
  const texts = read.absent.map((template) =>
    template.replace(/\{(\w+)\}/g, (all, name) => params[name] ?? all),
  )
  const isKnown = read.absent.some((template, nth) => {
    const text = texts[nth] as string
    if (!template.endsWith('*')) return said === text
    return said.startsWith(text.slice(0, -1)) && !noNews.some((pattern) => pattern.test(said))
  })
  return isKnown ? refusal(404, texts[0] as string) : { kind: 'abstention' }
}

function meaningOrFault(read: Read, params: Params, value: Value): Meaning {
  try {
    return meaningOfValue(read, params, value)
  } catch {
    return fault
  }
}

function meaningOfValue(read: Read, params: Params, value: Value): Meaning {
  const schema = schemaOf(read.forms?.reply ?? read.reply)
  // `rawJson` stands for a number that no double holds exactly. `rawJson` is an object, which a schema of objects would
  // accept. So the first parse has a symbol instead, which such a schema rejects.
  if (!schema.safeParse(withNumbersAs(value, (number) => Symbol(number.decimal))).success) return fault
  const parsed = schema.safeParse(withNumbersAs(value, ({ decimal }) => rawJson(decimal)))
  if (!parsed.success) return fault
  if (
    !repeatsParam(read.repeats, parsed.data, params) ||
    read.answersQuestion?.(parsed.data, params) === false
  )
    return fault
  if (read.abstains?.(parsed.data) !== undefined) return { kind: 'abstention' }
  const made = read.normalise === undefined ? parsed.data : read.normalise(parsed.data)
  const normal = read.own === undefined ? made : read.own.put(made, () => null)
  const { agree } = read
  const voted = agree.on === 'items' ? agree.make(agree.list(normal), params) : normal
  return { kind: 'value', canonical: canonicalOf(voted) }
}

/** Undefined if the body is no JSON, or if two parsers could read the body differently. */
export function canonicalText(bytes: Uint8Array): string | undefined {
  try {
    return canonicalOf(
      new Reader(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)).read(),
    )
  } catch {
    return undefined
  }
}

/** A number that no double holds exactly. */
class BigNumber {
  readonly decimal: string

  constructor(decimal: string) {
    this.decimal = decimal
  }
}

type Value = null | boolean | number | string | BigNumber | Value[] | { [key: string]: Value }

const { rawJSON: rawJson, isRawJSON } = JSON as unknown as {
  rawJSON(text: string): unknown
  isRawJSON(value: unknown): boolean
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof BigNumber)
}

function withNumbersAs(value: Value, as: (number: BigNumber) => unknown): unknown {
  if (value instanceof BigNumber) return as(value)
  if (Array.isArray(value)) return value.map((item) => withNumbersAs(item, as))
  if (!isObject(value)) return value
  return objectOf(Object.entries(value).map(([key, member]) => [key, withNumbersAs(member as Value, as)]))
}

function objectOf<T>(members: readonly (readonly [string, T])[]): Record<string, T> {
  const object: Record<string, T> = {}
  for (const [key, value] of members)
    if (key !== '__proto__') object[key] = value
    else Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
  return object
}

/** Members that are null are left out, because to leave them out means the same. */
function canonicalOf(value: unknown): string {
  if (value instanceof BigNumber) return value.decimal
  if (isRawJSON(value)) return decimalOf(JSON.stringify(value))
  if (typeof value === 'number') return decimalOf(JSON.stringify(value))
  if (Array.isArray(value)) return `[${value.map(canonicalOf).join()}]`
  if (!isObject(value)) return JSON.stringify(value)
  const keys = Object.keys(value)
    .filter((key) => (value[key] ?? null) !== null)
    .sort()
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonicalOf(value[key])}`).join()}}`
}

/** Returns equal texts for equal numbers: the digits without zeros at either end, and the power of ten. */
function decimalOf(source: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source) ?? []
  const digits = (whole + fraction).replace(/^0+/, '')
  const short = digits.replace(/0+$/, '')
  if (short === '') return '0'
  return `${sign}${short}e${BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - short.length)}`
}

const mostLevels = 64
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const space = /[ \t\n\r]*/y
const plainText = /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y

/** Reads JSON by RFC 8259. Throws on any other text, and on texts that two parsers could read differently. */
class Reader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  read(): Value {
    const value = this.#value(0)
    this.#skip(space)
    if (this.#at !== this.#text.length) throw new Error('more than one value')
    return value
  }

  #value(level: number): Value {
    this.#skip(space)
    const first = this.#text[this.#at]
    if (first === '{') return this.#object(level + 1)
    if (first === '[') return this.#list(level + 1)
    if (first === '"') return this.#string()
    for (const [word, value] of [
      ['null', null],
      ['true', true],
      ['false', false],
    ] as const)
      if (this.#text.startsWith(word, this.#at)) {
        this.#at += word.length
        return value
      }
    return numberOf(this.#take(number))
  }

  #list(level: number): Value[] {
    const items: Value[] = []
    this.#enter(level)
    for (let next = this.#hasFirst(']'); next; next = this.#hasMore(']')) items.push(this.#value(level))
    return items
  }

  #object(level: number): Value {
    const members: [string, Value][] = []
    this.#enter(level)
    for (let next = this.#hasFirst('}'); next; next = this.#hasMore('}')) {
      this.#skip(space)
      const key = this.#string()
      this.#skip(space)
      this.#expect(':')
      if (members.some(([known]) => known === key)) throw new Error('a key twice')
      members.push([key, this.#value(level)])
    }
    return objectOf(members)
  }

  #enter(level: number): void {
    if (level > mostLevels) throw new Error('too deep')
    this.#at++
  }

  #hasFirst(close: string): boolean {
    this.#skip(space)
    if (this.#text[this.#at] !== close) return true
    this.#at++
    return false
  }

  #hasMore(close: string): boolean {
    this.#skip(space)
    if (this.#text[this.#at] === close) {
      this.#at++
      return false
    }
    this.#expect(',')
    return true
  }

  #string(): string {
    const text = JSON.parse(this.#take(plainText)) as string
    if (!text.isWellFormed()) throw new Error('half a pair')
    return text
  }

  #expect(character: string): void {
    if (this.#text[this.#at] !== character) throw new Error(`no ${character}`)
    this.#at++
  }

  #take(pattern: RegExp): string {
    const taken = this.#skip(pattern)
    if (taken === '') throw new Error('nothing that can be read')
    return taken
  }

  #skip(pattern: RegExp): string {
    pattern.lastIndex = this.#at
    const [taken = ''] = pattern.exec(this.#text) ?? []
    this.#at += taken.length
    return taken
  }
}

function numberOf(source: string): Value {
  if (/[eE][+-]?\d{16,}$/.test(source)) throw new Error('an exponent of more than 15 digits')
  const read = Number(source)
  return Number.isFinite(read) && decimalOf(JSON.stringify(read)) === decimalOf(source)
    ? read
    : new BigNumber(decimalOf(source))
}
