import { canonicalOrder, isJsonObject, type Json } from '../../base/lib/canonical-json.ts'
import type { RepeatedParam } from './endpoint.ts'
import { freeForms, inOrder, leaves, textOf } from './leaves.ts'
import type { Pattern } from './pattern.ts'
import { payloadInOneText, type WithPayload } from './payload.ts'
import type { Forms, Read } from './read.ts'

export interface Reading {
  readonly value: unknown
  /** Whether defaults were filled in for fields that the body lacks. */
  readonly filled: boolean
  /** Whether a payload has a member that is null, and that other scans may leave out. */
  readonly nulls: boolean
}

/**
 * Reduces a scan's body to the fields that the read's pattern, or that of its forms, knows. A body
 * with exactly these fields is not copied.
 * @param body parsed JSON that no other code uses, because the returned value may share parts of
 * it.
 * @returns undefined if the body does not fit the pattern.
 */
export function readingOf(
  { reply, forms }: { readonly reply: Pattern; readonly forms?: Forms | undefined },
  body: unknown,
): Reading | undefined {
  const findings: Findings = { filled: false }
  const value = shapeOf(forms?.reply ?? reply).read(body, findings)
  return value === misfit ? undefined : { value, filled: findings.filled, nulls: findings.nulls === true }
}

export function repeatsParam(
  repeated: RepeatedParam | undefined,
  value: unknown,
  params: Readonly<Record<string, string>>,
): boolean {
  if (repeated === undefined) return true
  const at = repeated.member.reduce(
    (inner, key) => (inner as Readonly<Record<string, unknown>> | null | undefined)?.[key],
    value,
  )
  return at === params[repeated.param]
}

/**
 * Sorts the fields of a value by the read's pattern, so that its JSON text does not depend on which
 * scan sent it first.
 * @param value a value made from results of `readingOf`.
 */
export function orderedBy({ reply }: Read, value: unknown): unknown {
  return shapeOf(reply).ordered(value)
}

/**
 * Returns the value, its fields sorted like those of `orderedBy`, without the members of payloads
 * that are null (quorum.md#comparing-votes).
 */
export function withoutNulls({ reply }: Read, value: unknown): unknown {
  return shapeOf(reply).ordered(value, (payload) => notNull(canonicalOrder(payload)))
}

function notNull(value: Json): Json {
  if (Array.isArray(value)) return value.map(notNull)
  if (!isJsonObject(value)) return value
  const members = Object.entries(value).filter(([, member]) => member !== null)
  return Object.fromEntries(members.map(([name, member]) => [name, notNull(member)]))
}

export const misfit = Symbol('misfit')

export interface Findings {
  /** Whether a member was filled in, or a text was replaced by another one with the same meaning. */
  filled: boolean
  /** Whether a payload has a member that is null, and that other scans may leave out. */
  nulls?: boolean
}

export interface Shape {
  /**
   * Returns what `parse` of the pattern's schema would return: `value` itself if nothing changes, and
   * `misfit` if any part does not fit. Takes time proportional to the size of the value.
   */
  read(value: unknown, findings: Findings): unknown
  /** @param payload orders the members of a payload, whose names the shape does not know. */
  ordered(value: unknown, payload?: (value: unknown) => unknown): unknown
}

const shapes = new Map<Pattern, Shape>()

export function shapeOf(pattern: Pattern): Shape {
  const shape = shapes.get(pattern) ?? shapeMade(pattern)
  shapes.set(pattern, shape)
  return shape
}

function shapeMade(pattern: Pattern): Shape {
  if (typeof pattern === 'string') {
    const fits = leaves[pattern]
    const text = textOf[pattern]
    if (text !== undefined) return rewriting(plain(fits), text)
    return Object.hasOwn(freeForms, pattern) ? freeForm(fits) : plain(fits)
  }
  if ('object' in pattern) return objectOf(pattern.object)
  if ('list' in pattern) return arrayOf(shapeOf(pattern.list))
  if ('set' in pattern) return rewriting(arrayOf(shapeOf(pattern.set)), inOrder)
  if ('contract' in pattern) return rewriting(shapeOf(pattern.contract), payloadInOneText<WithPayload>)
  if ('record' in pattern) return recordOf(shapeOf(pattern.record))
  if ('firstOf' in pattern) return firstOf(pattern.firstOf.map(shapeOf))
  if ('nullable' in pattern) return nullable(shapeOf(pattern.nullable))
  if ('optional' in pattern) return shapeOf(pattern.optional)
  if ('default' in pattern) return shapeOf(pattern.of)
  if ('constant' in pattern) return rewriting(shapeOf(pattern.of), () => pattern.constant)
  if ('oneOf' in pattern) return plain((value) => pattern.oneOf.some((one) => one === value))
  if ('atMost' in pattern) return ofLength(pattern.of, (length) => length <= pattern.atMost)
  if ('atLeast' in pattern) return ofLength(pattern.of, (length) => length >= pattern.atLeast)
  return plain(() => false)
}

function hasNulls(value: Json): boolean {
  if (Array.isArray(value)) return value.some(hasNulls)
  return isJsonObject(value) && Object.values(value).some((member) => member === null || hasNulls(member))
}

type Check = (value: unknown) => boolean

function plain(fits: Check): Shape {
  return { read: (value) => (fits(value) ? value : misfit), ordered: (value) => value }
}

function rewriting<Value>({ read, ordered }: Shape, rewrite: (value: Value) => Value): Shape {
  return {
    read(value, findings) {
      const given = read(value, findings)
      if (given === misfit) return misfit
      const rewritten = rewrite(given as Value)
      if (rewritten !== given) findings.filled = true
      return rewritten
    },
    ordered,
  }
}

function ofLength(of: Pattern, fits: (length: number) => boolean): Shape {
  const shape = shapeOf(of)
  return {
    read(value, findings) {
      const read = shape.read(value, findings)
      return read === misfit || fits((read as string | readonly unknown[]).length) ? read : misfit
    },
    ordered: shape.ordered,
  }
}

function freeForm(fits: Check): Shape {
  return {
    read(value, findings) {
      if (!fits(value)) return misfit
      if (findings.nulls !== true && hasNulls(value as Json)) findings.nulls = true
      return value
    },
    ordered: (value, payload = canonicalOrder) => payload(value),
  }
}

function nullable(inner: Shape): Shape {
  return {
    read: (value, findings) => (value === null ? null : inner.read(value, findings)),
    ordered: (value, payload) => (value === null ? null : inner.ordered(value, payload)),
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
    ordered: (value, payload) => (value as readonly unknown[]).map((one) => element.ordered(one, payload)),
  }
}

/** zod drops a field of this name from records, so `recordOf` drops it too. */
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
    ordered: (value, payload) => {
      const members = value as Readonly<Record<string, unknown>>
      const keys = Object.keys(members).sort()
      return Object.fromEntries(keys.map((key) => [key, member.ordered(members[key], payload)]))
    },
  }
}

interface ShapeMember {
  readonly key: string
  readonly shape: Shape
  readonly whenAbsent: 'misfit' | 'left out' | 'filled in'
  readonly given: unknown
}

function objectOf(patterns: Readonly<Record<string, Pattern>>): Shape {
  const members = Object.entries(patterns).map(([key, pattern]) => memberOf(key, pattern))
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
        const one = (members[at] as ShapeMember).shape.read(value[key], findings)
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
    ordered(value, payload) {
      const given = value as Readonly<Record<string, unknown>>
      const ordered: Record<string, unknown> = {}
      for (const { key, shape } of members)
        if (Object.hasOwn(given, key)) ordered[key] = shape.ordered(given[key], payload)
      return ordered
    },
  }
}

function made(members: readonly ShapeMember[], given: Readonly<Record<string, unknown>>): unknown {
  const value: Record<string, unknown> = {}
  for (const { key, whenAbsent, given: filling } of members) {
    if (Object.hasOwn(given, key)) value[key] = given[key]
    else if (whenAbsent === 'filled in') value[key] = filling
  }
  return value
}

function memberOf(key: string, pattern: Pattern): ShapeMember {
  const shape = shapeOf(pattern)
  if (typeof pattern === 'object' && 'default' in pattern)
    return { key, shape, whenAbsent: 'filled in', given: pattern.default }
  const isOptional = typeof pattern === 'object' && 'optional' in pattern
  return { key, shape, whenAbsent: isOptional ? 'left out' : 'misfit', given: undefined }
}

/**
 * Uses the first shape that fits. Each shape gets its own `Findings`, because a shape that does not
 * fit must leave `findings` unchanged.
 */
function firstOf(kinds: readonly Shape[]): Shape {
  return {
    read(value, findings) {
      for (const kind of kinds) {
        const own: Findings = { filled: false }
        const read = kind.read(value, own)
        if (read === misfit) continue
        findings.filled ||= own.filled
        if (own.nulls === true) findings.nulls = true
        return read
      }
      return misfit
    },
    ordered(value, payload) {
      const fitting = kinds.find((kind) => kind.read(value, { filled: false }) !== misfit)
      if (fitting === undefined) throw new TypeError('a value that was not read has no order')
      return fitting.ordered(value, payload)
    },
  }
}
