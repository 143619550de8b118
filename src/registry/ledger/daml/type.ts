import { type DamlRecord, type DamlValue, isParty } from '../value.ts'
import { shortest, tryDecimal } from './decimal.ts'
import { Refused } from './refused.ts'
import { timeOf, tryMicros } from './time.ts'

/** Normalises the text of a decimal; undefined for another text. */
type DecimalForm = (given: string) => string | undefined

/** A Daml type. `V` is the TypeScript type of its values in JSON. */
export interface DamlType<V extends DamlValue = DamlValue> {
  /**
   * Normalises a value.
   * @throws Refused
   */
  read(value: DamlValue | undefined, path: string, decimals: DecimalForm): V
}

export type ValueOf<T> = T extends DamlType<infer V> ? V : never

type Fields = Readonly<Record<string, DamlType>>
type RecordOf<F extends Fields> = { readonly [K in keyof F]: ValueOf<F[K]> }

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
  return type.read(value, '', tryDecimal)
}

/** Prints the decimals of a stored value without the zeros at their ends, as Daml's `show` does. */
export function withShortDecimals<V extends DamlValue>(type: DamlType<V>, value: V): V {
  return type.read(value, '', shortest)
}

const contractIdText = /^00[0-9a-f]{64}(?:[0-9a-f]{2}){0,94}$/
const intText = /^[+-]?\d{1,30}$/
const minInt = -(2n ** 63n)
const maxInt = 2n ** 63n - 1n

export const text = scalar('text', (given) =>
  given.isWellFormed() && !given.includes('\0') ? given : undefined,
)
export const party = scalar('party', (given) => (isParty(given) ? given : undefined))
export const contractId = scalar('contractId', (given) => (contractIdText.test(given) ? given : undefined))
export const decimalType = scalar('decimal', (given, decimals) => decimals(given))
export const int64 = scalar('int64', (given) => {
  if (!intText.test(given)) return undefined
  const value = BigInt(given.replace(/^\+/, ''))
  return value >= minInt && value <= maxInt ? String(value) : undefined
})
export const time = scalar('time', (given) => {
  const micros = tryMicros(given)
  return micros === undefined ? undefined : timeOf(micros)
})
export const unit = record({})
export const relTime = record({ microseconds: int64 })

export const bool: DamlType<boolean> = {
  read: (value, path) => (typeof value === 'boolean' ? value : wrong('a boolean', value, path)),
}

function scalar(
  name: string,
  normalise: (given: string, decimals: DecimalForm) => string | undefined,
): DamlType<string> {
  return {
    read: (value, path, decimals) =>
      (typeof value === 'string' ? normalise(value, decimals) : undefined) ?? wrong(name, value, path),
  }
}

/** `of` must not be optional itself, because JSON represents nested optionals differently. */
export function optional<V extends DamlValue>(of: DamlType<V>): DamlType<V | null> {
  return {
    read: (value, path, decimals) =>
      value === undefined || value === null ? null : of.read(value, path, decimals),
  }
}

export function list<V extends DamlValue>(of: DamlType<V>): DamlType<readonly V[]> {
  return {
    read: (value, path, decimals) =>
      listAt(value, path).map((item, index) => of.read(item, `${path}[${index}]`, decimals)),
  }
}

/** A Daml `GenMap`. Its JSON is a list of pairs, sorted by key. */
export function map<K extends DamlValue, V extends DamlValue>(
  key: DamlType<K>,
  content: DamlType<V>,
): DamlType<readonly (readonly [K, V])[]> {
  return {
    read(value, path, decimals) {
      const pairs = listAt(value, path).map((pair, index) => {
        const place = `${path}[${index}]`
        const [k, v] = listAt(pair, place)
        const conformed = key.read(k, place, decimals)
        return [JSON.stringify(conformed), [conformed, content.read(v, place, decimals)]] as const
      })
      const byKey = new Map<string, readonly [K, V]>(pairs)
      return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, pair]) => pair)
    },
  }
}

export function enumeration<const C extends string>(...constructors: readonly C[]): DamlType<C> {
  return {
    read: (value, path) => constructors.find((each) => each === value) ?? wrong('enum', value, path),
  }
}

export function record<F extends Fields>(fields: F): DamlType<RecordOf<F>> {
  return {
    read(value, path, decimals) {
      const given = recordAt(value, path)
      const members = Object.entries(fields).map(([name, type]) => {
        const member = Object.hasOwn(given, name) ? given[name] : undefined
        return [name, type.read(member, path === '' ? name : `${path}.${name}`, decimals)]
      })
      return Object.fromEntries(members) as RecordOf<F>
    },
  }
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
