import type { z } from 'zod'
import { canonicalOrder, isJsonObject } from '../lib/canonical-json.ts'

type Schema = z.core.$ZodType

/** The result for a value that does not have the shape. */
export const misfit = Symbol('misfit')

/** `Shape.read` fills this while it reads, besides the value that it returns. */
export interface Findings {
  /** Whether the returned value has a member that the given value lacks. */
  filled: boolean
}

/** A row's schema, prepared for reading many values. */
export interface Shape {
  /**
   * Returns the same as the schema's own `parse`, but stops at the first misfit, and returns the value itself if the
   * schema would change nothing. The time is proportional to the size of the value, whatever the value is.
   */
  read(value: unknown, findings: Findings): unknown
  /**
   * Sorts the members of a value in the order of the schema. Members that the schema does not name are in canonical
   * order.
   * @param value a value that `read` returned.
   */
  ordered(value: unknown): unknown
}

/**
 * Prepares a schema for reading values as zod would. It supports only the zod types that the table of reads uses.
 * @throws TypeError for any other schema.
 */
export function shapeOf(schema: Schema): Shape {
  const { def } = (schema as z.core.$ZodTypes)._zod
  const shape = ofType(schema)
  const checks = (def.checks ?? []).map(checkOf)
  if (checks.length === 0) return shape
  return {
    read(value, findings) {
      const read = shape.read(value, findings)
      return read === misfit || checks.every((check) => check(read)) ? read : misfit
    },
    ordered: shape.ordered,
  }
}

function ofType(schema: Schema): Shape {
  const { def, values } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'object':
      return objectOf(def.shape)
    case 'array':
      return arrayOf(shapeOf(def.element))
    case 'record':
      if (!isAnyText(def.keyType)) throw new TypeError('a record has any texts as its keys')
      return recordOf(shapeOf(def.valueType))
    case 'union':
      if (!('discriminator' in def) && def.inclusive === false)
        throw new TypeError('a union gives the first of its kinds that fits')
      return firstOf(def.options.map(shapeOf))
    case 'nullable':
      return nullable(shapeOf(def.innerType))
    case 'optional':
    case 'default':
      return shapeOf(def.innerType)
    case 'string':
      return plain((value) => typeof value === 'string', 'format' in def)
    case 'number':
      return plain('format' in def ? Number.isSafeInteger : Number.isFinite, isOtherNumber(def))
    case 'boolean':
      return plain((value) => typeof value === 'boolean')
    case 'null':
      return plain((value) => value === null)
    case 'enum':
    case 'literal':
      return plain((value) => values?.has(value as z.core.util.Literal) === true, values === undefined)
    case 'custom':
      return freeForm(checkOf(schema as z.core.$ZodCustom))
    default:
      throw new TypeError(`no reply is read by a ${def.type}`)
  }
}

type Check = (value: unknown) => boolean

function checkOf({ _zod: { def } }: z.core.$ZodCheck<never> | z.core.$ZodCustom): Check {
  if (def.check === 'max_length') {
    const { maximum } = def as z.core.$ZodCheckMaxLengthDef
    return (value) => (value as string | readonly unknown[]).length <= maximum
  }
  if (def.check === 'number_format' && (def as z.core.$ZodCheckNumberFormatDef).format === 'safeint')
    return Number.isSafeInteger
  if (!('fn' in def) || typeof def.fn !== 'function' || def.when !== undefined)
    throw new TypeError(`no reply is checked by ${def.check}`)
  const { fn } = def
  return (value) => Boolean(fn(value))
}

function isOtherNumber(def: z.core.$ZodNumberDef): boolean {
  return 'format' in def && def.format !== 'safeint'
}

function plain(fits: Check, isUnknown = false): Shape {
  if (isUnknown) throw new TypeError('no reply is read by a format')
  return { read: (value) => (fits(value) ? value : misfit), ordered: (value) => value }
}

function freeForm(fits: Check): Shape {
  return { read: (value) => (fits(value) ? value : misfit), ordered: canonicalOrder }
}

function nullable(inner: Shape): Shape {
  return {
    read: (value, findings) => (value === null ? null : inner.read(value, findings)),
    ordered: (value) => (value === null ? null : inner.ordered(value)),
  }
}

function arrayOf(element: Shape): Shape {
  return {
    read(value, findings) {
      if (!Array.isArray(value)) return misfit
      let read: unknown[] | undefined
      for (let at = 0; at < value.length; at++) {
        const one = element.read(value[at], findings)
        if (one === misfit) return misfit
        if (read !== undefined) read.push(one)
        else if (one !== value[at]) read = [...value.slice(0, at), one]
      }
      return read ?? value
    },
    ordered: (value) => (value as readonly unknown[]).map(element.ordered),
  }
}

/** The member that a record loses when it is read, as in zod. */
const dropped = '__proto__'

function recordOf(member: Shape): Shape {
  return {
    read(value, findings) {
      if (!isJsonObject(value)) return misfit
      const changed: [string, unknown][] = []
      for (const key in value) {
        if (key === dropped) continue
        const one = member.read(value[key], findings)
        if (one === misfit) return misfit
        if (one !== value[key]) changed.push([key, one])
      }
      if (changed.length === 0 && !Object.hasOwn(value, dropped)) return value
      const { [dropped]: _, ...kept } = value
      return Object.assign(kept, Object.fromEntries(changed))
    },
    ordered: (value) => {
      const members = value as Readonly<Record<string, unknown>>
      const keys = Object.keys(members).sort()
      return Object.fromEntries(keys.map((key) => [key, member.ordered(members[key])]))
    },
  }
}

interface Member {
  readonly key: string
  readonly shape: Shape
  readonly whenAbsent: 'misfit' | 'left out' | 'filled in'
  readonly given: unknown
}

function objectOf(schemas: Readonly<Record<string, Schema>>): Shape {
  const members = Object.entries(schemas).map(([key, schema]) => memberOf(key, schema))
  const places = new Map(members.map(({ key }, at) => [key, at]))
  return {
    read(value, findings) {
      if (!isJsonObject(value)) return misfit
      let next = 0
      let known = 0
      let isChanged = false
      let changed: Readonly<Record<string, unknown>> | undefined
      for (const key in value) {
        const at = members[next]?.key === key ? next : places.get(key)
        if (at === undefined) {
          isChanged = true
          continue
        }
        const one = (members[at] as Member).shape.read(value[key], findings)
        if (one === misfit) return misfit
        if (one !== value[key]) changed = { ...changed, [key]: one }
        known++
        next = at + 1
      }
      if (known < members.length) {
        for (const { key, whenAbsent } of members) {
          if (whenAbsent === 'left out' || Object.hasOwn(value, key)) continue
          if (whenAbsent === 'misfit') return misfit
          isChanged = true
          findings.filled = true
        }
      }
      return isChanged || changed !== undefined ? made(members, { ...value, ...changed }) : value
    },
    ordered(value) {
      const given = value as Readonly<Record<string, unknown>>
      const ordered: Record<string, unknown> = {}
      for (const { key, shape } of members)
        if (Object.hasOwn(given, key)) ordered[key] = shape.ordered(given[key])
      return ordered
    },
  }
}

function made(members: readonly Member[], given: Readonly<Record<string, unknown>>): unknown {
  const value: Record<string, unknown> = {}
  for (const { key, whenAbsent, given: filling } of members) {
    if (Object.hasOwn(given, key)) value[key] = given[key]
    else if (whenAbsent === 'filled in') value[key] = filling
  }
  return value
}

function memberOf(key: string, schema: Schema): Member {
  const { def } = (schema as z.core.$ZodTypes)._zod
  const shape = shapeOf(schema)
  if (def.type === 'default') return { key, shape, whenAbsent: 'filled in', given: def.defaultValue }
  if (def.type !== 'optional') return { key, shape, whenAbsent: 'misfit', given: undefined }
  if (def.innerType._zod.optin === 'defaulted') throw new TypeError('a default is no optional member')
  return { key, shape, whenAbsent: 'left out', given: undefined }
}

/** An alternative that does not fit must not report the members that it filled in. */
function firstOf(kinds: readonly Shape[]): Shape {
  return {
    read(value, findings) {
      for (const kind of kinds) {
        const own: Findings = { filled: false }
        const read = kind.read(value, own)
        if (read === misfit) continue
        findings.filled ||= own.filled
        return read
      }
      return misfit
    },
    ordered(value) {
      const fitting = kinds.find((kind) => kind.read(value, { filled: false }) !== misfit)
      if (fitting === undefined) throw new TypeError('a value that was not read has no order')
      return fitting.ordered(value)
    },
  }
}

function isAnyText(schema: Schema): boolean {
  const { def } = (schema as z.core.$ZodTypes)._zod
  return def.type === 'string' && !('format' in def) && (def.checks ?? []).length === 0
}
