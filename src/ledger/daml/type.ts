import { type DamlRecord, type DamlValue, isParty } from '../value.ts'
import { tryDecimal } from './decimal.ts'
import { Refused } from './refused.ts'
import { timeOf, tryMicros } from './time.ts'

export type DamlShape =
  | { readonly kind: 'text' | 'party' | 'contractId' | 'int64' | 'decimal' | 'time' }
  | { readonly kind: 'bool' }
  | { readonly kind: 'optional' | 'list'; readonly of: DamlShape }
  | { readonly kind: 'map'; readonly key: DamlShape; readonly value: DamlShape }
  | { readonly kind: 'enum'; readonly constructors: readonly string[] }
  | { readonly kind: 'variant'; readonly cases: Readonly<Record<string, DamlShape>> }
  | { readonly kind: 'record'; readonly fields: Readonly<Record<string, DamlShape>> }

declare const meaning: unique symbol

/** A Daml type. `V` is the TypeScript type of its values in JSON. */
export type DamlType<V extends DamlValue = DamlValue> = DamlShape & { readonly [meaning]?: V }

export type ValueOf<T> = T extends { readonly [meaning]?: infer V } ? Exclude<V, undefined> : never

type RecordFields = Readonly<Record<string, DamlType>>
type RecordOf<F extends RecordFields> = { readonly [K in keyof F]: ValueOf<F[K]> }
type VariantOf<C extends RecordFields> = {
  readonly [K in keyof C & string]: { readonly tag: K; readonly value: ValueOf<C[K]> }
}[keyof C & string]

export const text: DamlType<string> = { kind: 'text' }
export const party: DamlType<string> = { kind: 'party' }
export const contractId: DamlType<string> = { kind: 'contractId' }
export const int64: DamlType<string> = { kind: 'int64' }
export const decimalType: DamlType<string> = { kind: 'decimal' }
export const time: DamlType<string> = { kind: 'time' }
export const bool: DamlType<boolean> = { kind: 'bool' }
export const unit = record({})
export const relTime = record({ microseconds: int64 })

/** `of` must not be optional itself, because JSON represents nested optionals differently. */
export function optional<T extends DamlType>(of: T): DamlType<ValueOf<T> | null> {
  return { kind: 'optional', of }
}

export function list<T extends DamlType>(of: T): DamlType<readonly ValueOf<T>[]> {
  return { kind: 'list', of }
}

/** A Daml `GenMap`. Its JSON is a list of pairs, sorted by key. */
export function map<K extends DamlType, V extends DamlType>(
  key: K,
  value: V,
): DamlType<readonly (readonly [ValueOf<K>, ValueOf<V>])[]> {
  return { kind: 'map', key, value }
}

export function enumeration<const C extends string>(...constructors: readonly C[]): DamlType<C> {
  return { kind: 'enum', constructors }
}

export function variant<C extends RecordFields>(cases: C): DamlType<VariantOf<C>> {
  return { kind: 'variant', cases }
}

export function record<F extends RecordFields>(fields: F): DamlType<RecordOf<F>> {
  return { kind: 'record', fields }
}

const contractIdText = /^00[0-9a-f]{64}(?:[0-9a-f]{2}){0,94}$/
const intText = /^[+-]?\d{1,30}$/
const minInt = -(2n ** 63n)
const maxInt = 2n ** 63n - 1n

/**
 * Normalises a value to the form that the ledger stores:
 * - The fields of a record are in the order of their declaration. An absent optional field is null.
 *   Unknown fields are dropped, because a later version of a package may have added them.
 * - A Decimal has ten decimal places. A Time is in UTC. An Int64 has no plus sign or leading zeros.
 * - The pairs of a map are sorted.
 *
 * @throws Refused with the code `INVALID_ARGUMENT`, as Canton does (JsonCodec.scala).
 */
export function conform<V extends DamlValue>(type: DamlType<V>, value: DamlValue): V {
  return conformShape(type, value, '') as V
}

function conformShape(shape: DamlShape, value: DamlValue | undefined, path: string): DamlValue {
  switch (shape.kind) {
    case 'optional':
      return value === undefined || value === null ? null : conformShape(shape.of, value, path)
    case 'list':
      return listAt(value, path).map((item, index) => conformShape(shape.of, item, `${path}[${index}]`))
    case 'map':
      return conformMap(shape.key, shape.value, listAt(value, path), path)
    case 'record': {
      const given = recordAt(value, path)
      const members = Object.entries(shape.fields).map(([name, field]) => {
        const member = Object.hasOwn(given, name) ? given[name] : undefined
        return [name, conformShape(field, member, path === '' ? name : `${path}.${name}`)]
      })
      return Object.fromEntries(members)
    }
    case 'variant': {
      const { tag, value: content } = recordAt(value, path)
      const { cases } = shape
      const known = typeof tag === 'string' && Object.hasOwn(cases, tag) ? cases[tag] : undefined
      if (typeof tag !== 'string' || known === undefined)
        return wrong(`one of ${Object.keys(cases).join(', ')}`, tag, path)
      return { tag, value: conformShape(known, content, `${path}.${tag}`) }
    }
    case 'bool':
      return typeof value === 'boolean' ? value : wrong('a boolean', value, path)
    default:
      return (typeof value === 'string' ? tryText(shape, value) : undefined) ?? wrong(shape.kind, value, path)
  }
}

type TextShape = Exclude<DamlShape, { kind: 'bool' | 'optional' | 'list' | 'map' | 'variant' | 'record' }>

/** Returns undefined for a text that is no value of the type. */
function tryText(shape: TextShape, value: string): string | undefined {
  switch (shape.kind) {
    case 'text':
      return value.isWellFormed() && !value.includes('\0') ? value : undefined
    case 'party':
      return isParty(value) ? value : undefined
    case 'contractId':
      return contractIdText.test(value) ? value : undefined
    case 'int64':
      return tryInt(value)
    case 'decimal':
      return tryDecimal(value)
    case 'time': {
      const micros = tryMicros(value)
      return micros === undefined ? undefined : timeOf(micros)
    }
    case 'enum':
      return shape.constructors.includes(value) ? value : undefined
  }
}

function tryInt(text: string): string | undefined {
  if (!intText.test(text)) return undefined
  const value = BigInt(text.replace(/^\+/, ''))
  return value >= minInt && value <= maxInt ? String(value) : undefined
}

function conformMap(
  key: DamlShape,
  content: DamlShape,
  pairs: readonly DamlValue[],
  path: string,
): DamlValue {
  const conformed = new Map<string, DamlValue>()
  for (const [index, pair] of pairs.entries()) {
    const place = `${path}[${index}]`
    const [k, v] = listAt(pair, place)
    const conformedKey = conformShape(key, k, place)
    conformed.set(JSON.stringify(conformedKey), [conformedKey, conformShape(content, v, place)])
  }
  return [...conformed.keys()].sort().map((k) => conformed.get(k) as DamlValue)
}

function recordAt(value: DamlValue | undefined, path: string): DamlRecord {
  const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isRecord ? (value as DamlRecord) : wrong('an object', value, path)
}

function listAt(value: DamlValue | undefined, path: string): readonly DamlValue[] {
  return Array.isArray(value) ? value : wrong('a list', value, path)
}

const longestShown = 100

function wrong(expected: string, value: DamlValue | undefined, path: string): never {
  const found = value === undefined ? 'nothing' : JSON.stringify(value).slice(0, longestShown)
  const place = path === '' ? '' : ` at ${path}`
  throw new Refused('INVALID_ARGUMENT', `Expected ${expected}${place}, found ${found}`)
}
