import type { DamlRecord, DamlValue } from '../value.ts'
import { tryDecimal } from './decimal.ts'
import { isParty } from './parties.ts'
import { Refused } from './refused.ts'
import { timeOf, tryMicros } from './time.ts'
import type { DamlShape, DamlType } from './type.ts'

const contractIdText = /^00[0-9a-f]{64}(?:[0-9a-f]{2}){0,94}$/
const intText = /^[+-]?\d{1,30}$/
const minInt = -(2n ** 63n)
const maxInt = 2n ** 63n - 1n

/**
 * Normalises a value from a caller to the form that the ledger stores:
 * - The fields of a record are in the order of their declaration. An absent optional field is null.
 * - A Decimal has ten decimal places. A Time is in UTC. An Int64 has no plus sign or leading zeros.
 * - The pairs of a map are sorted.
 *
 * @throws Refused with the same code as Canton (JsonCodec.scala): `COMMAND_PREPROCESSING_FAILED`
 * for a missing field or a wrong JSON type; `INVALID_ARGUMENT` for any other problem.
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
      return conformMap(shape.key, shape.value, value, path)
    case 'record':
      return conformRecord(shape.fields, value, path)
    case 'variant':
      return conformVariant(shape.cases, value, path)
    case 'bool':
      return typeof value === 'boolean' ? value : mismatch('a boolean', value, path)
    default:
      return typeof value === 'string' ? conformText(shape, value, path) : mismatch('a string', value, path)
  }
}

type TextShape = Exclude<DamlShape, { kind: 'bool' | 'optional' | 'list' | 'map' | 'variant' | 'record' }>

function conformText(shape: TextShape, value: string, path: string): DamlValue {
  switch (shape.kind) {
    case 'text':
      return value.isWellFormed() && !value.includes('\0') ? value : malformed('a text', value, path)
    case 'party':
      return isParty(value) ? value : malformed('a party', value, path)
    case 'contractId':
      return contractIdText.test(value) ? value : malformed('a contract id', value, path)
    case 'int64':
      return intOf(value) ?? malformed('an Int64', value, path)
    case 'decimal':
      return tryDecimal(value) ?? malformed('a Decimal', value, path)
    case 'time': {
      const micros = tryMicros(value)
      return micros === undefined ? malformed('a time', value, path) : timeOf(micros)
    }
    case 'enum':
      return shape.constructors.includes(value) ? value : malformed('a constructor', value, path)
  }
}

function intOf(text: string): string | undefined {
  if (!intText.test(text)) return undefined
  const value = BigInt(text.replace(/^\+/, ''))
  return value >= minInt && value <= maxInt ? String(value) : undefined
}

function conformRecord(
  fields: Readonly<Record<string, DamlShape>>,
  value: DamlValue | undefined,
  path: string,
): DamlValue {
  const given = objectAt(value, path)
  const result: Record<string, DamlValue> = {}
  for (const [name, shape] of Object.entries(fields)) {
    const member = Object.hasOwn(given, name) ? given[name] : undefined
    if (member === undefined && shape.kind !== 'optional') {
      throw new Refused('COMMAND_PREPROCESSING_FAILED', `Missing field ${memberOf(path, name)}`)
    }
    result[name] = conformShape(shape, member, memberOf(path, name))
  }
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(fields, name) && given[name] !== null) {
      throw new Refused('INVALID_ARGUMENT', `Unexpected field ${memberOf(path, shortened(name))}`)
    }
  }
  return result
}

function conformVariant(
  cases: Readonly<Record<string, DamlShape>>,
  value: DamlValue | undefined,
  path: string,
): DamlValue {
  const { tag, value: content } = objectAt(value, path)
  const shape = typeof tag === 'string' && Object.hasOwn(cases, tag) ? cases[tag] : undefined
  if (typeof tag !== 'string' || shape === undefined) {
    throw new Refused(
      'INVALID_ARGUMENT',
      `Not a constructor${at(path)}: expected ${Object.keys(cases).join(', ')}`,
    )
  }
  return { tag, value: conformShape(shape, content, `${path}.${tag}`) }
}

function conformMap(
  key: DamlShape,
  content: DamlShape,
  value: DamlValue | undefined,
  path: string,
): DamlValue {
  const pairs = new Map<string, DamlValue>()
  for (const [index, pair] of listAt(value, path).entries()) {
    const place = `${path}[${index}]`
    const [k, v, ...more] = listAt(pair, place)
    if (v === undefined || more.length > 0) mismatch('a pair', pair, place)
    const conformed: DamlValue = [conformShape(key, k, place), conformShape(content, v, place)]
    pairs.set(JSON.stringify(conformed[0]), conformed)
  }
  return [...pairs.keys()].sort().map((k) => pairs.get(k) as DamlValue)
}

function objectAt(value: DamlValue | undefined, path: string): DamlRecord {
  return isRecord(value) ? value : mismatch('an object', value, path)
}

function isRecord(value: DamlValue | undefined): value is DamlRecord {
  return typeof value === 'object' && value !== null && !isList(value)
}

function listAt(value: DamlValue | undefined, path: string): readonly DamlValue[] {
  return isList(value) ? value : mismatch('a list', value, path)
}

function isList(value: DamlValue | undefined): value is readonly DamlValue[] {
  return Array.isArray(value)
}

function mismatch(expected: string, value: DamlValue | undefined, path: string): never {
  const found = value === null ? 'null' : isList(value) ? 'a list' : `a value of type ${typeof value}`
  throw new Refused('COMMAND_PREPROCESSING_FAILED', `Expected ${expected}${at(path)}, found ${found}`)
}

function malformed(expected: string, value: string, path: string): never {
  throw new Refused(
    'INVALID_ARGUMENT',
    `Expected ${expected}${at(path)}, found ${JSON.stringify(shortened(value))}`,
  )
}

function shortened(value: string): string {
  return value.length > 100 ? `${value.slice(0, 100)}...` : value
}

function at(path: string): string {
  return path === '' ? '' : ` at ${path}`
}

function memberOf(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}

/**
 * Normalises a value as `conform` does, but drops the fields that `type` does not have. A value
 * from a participant or a scan can have fields that a later version of its package added.
 */
export function conformKnown<V extends DamlValue>(type: DamlType<V>, value: DamlValue): V {
  return conform(type, known(type, value))
}

function known(type: DamlShape, value: DamlValue): DamlValue {
  switch (type.kind) {
    case 'optional':
      return value === null ? null : known(type.of, value)
    case 'list':
      return isList(value) ? value.map((item) => known(type.of, item)) : value
    case 'map':
      return isList(value) ? value.map((pair) => knownPair(type, pair)) : value
    case 'record':
      return isRecord(value) ? knownRecord(type.fields, value) : value
    case 'variant':
      return isRecord(value) ? knownVariant(type.cases, value) : value
    default:
      return value
  }
}

function knownPair({ key, value }: Extract<DamlShape, { kind: 'map' }>, pair: DamlValue): DamlValue {
  if (!isList(pair) || pair.length !== 2) return pair
  const [k, v] = pair as readonly [DamlValue, DamlValue]
  return [known(key, k), known(value, v)]
}

function knownRecord(fields: Readonly<Record<string, DamlShape>>, value: DamlRecord): DamlRecord {
  const members = Object.entries(fields).flatMap(([name, shape]) =>
    Object.hasOwn(value, name) ? [[name, known(shape, value[name] as DamlValue)] as const] : [],
  )
  return Object.fromEntries(members)
}

function knownVariant(cases: Readonly<Record<string, DamlShape>>, value: DamlRecord): DamlRecord {
  const { tag, value: content } = value
  const shape = typeof tag === 'string' && Object.hasOwn(cases, tag) ? cases[tag] : undefined
  return shape === undefined || content === undefined ? value : { ...value, value: known(shape, content) }
}
