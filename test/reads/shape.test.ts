import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalJson, isJsonObject, type Json, parseJson } from '../../src/base/lib/canonical-json.ts'
import { updatesOfMigration } from '../../src/core/reads/holding.ts'
import {
  firstOf,
  list,
  literal,
  object,
  omittable,
  type Pattern,
  record,
  string,
  withDefault,
} from '../../src/core/reads/pattern.ts'
import { type Findings, misfit, shapeOf } from '../../src/core/reads/reading.ts'
import { schemaOf } from '../../src/core/reads/schema.ts'
import { reads } from '../../src/core/reads/table.ts'
import { samples } from './samples.ts'

const others = [null, true, 0, 1.5, 1e300, '', 'x', '2026-13-01T00:00:00Z', [], [null], {}, { a: 1 }]

/** Returns the body with random changes: members left out, added, replaced, renamed or reordered. */
function altered(body: unknown, draw: (below: number) => number): unknown {
  if (draw(40) === 0) return others[draw(others.length)]
  if (Array.isArray(body)) return body.map((item) => altered(item, draw))
  if (!isJsonObject(body)) return body
  const members = Object.entries(body)
    .filter(() => draw(40) > 0)
    .map(([key, member]) => [draw(60) === 0 ? `${key}s` : key, altered(member, draw)])
  if (draw(40) === 0) members.push(['added', 1])
  return Object.fromEntries(draw(3) === 0 ? members.reverse() : members)
}

/** Whether a value has members, at any depth, that its body lacks, or other texts. */
function isFilled(body: unknown, value: unknown): boolean {
  if (typeof value === 'string' || value === null) return value !== body
  if (Array.isArray(value) && Array.isArray(body)) return value.some((item, at) => isFilled(body[at], item))
  if (!isJsonObject(value) || !isJsonObject(body)) return false
  return Object.keys(value).some((key) => !Object.hasOwn(body, key) || isFilled(body[key], value[key]))
}

const draws = fc.infiniteStream(fc.nat(1_000_000))

describe.each(Object.values(reads))('$id', (read) => {
  const shape = shapeOf(read.reply)
  const sample: unknown = samples[read.id as keyof typeof samples].reply
  const alteredBy = (stream: Iterator<number>) =>
    altered(sample, (below) => Number(stream.next().value) % below)

  test('its sample is taken as it is', () => {
    const value = schemaOf(read.reply).parse(sample)
    expect(shape.read(value, { filled: false })).toBe(value)
  })

  test('a body is read as its schema reads it, and given back itself where nothing changes', () => {
    fc.assert(
      fc.property(draws, (stream) => {
        const body = alteredBy(stream)
        const { success, data } = schemaOf(read.reply).safeParse(body)
        const findings: Findings = { filled: false }
        const value = shape.read(body, findings)
        if (!success) {
          expect(value).toBe(misfit)
          return
        }
        expect(value).toEqual(data)
        expect(value === body).toBe(isDeepStrictEqual(data, body))
        expect(findings.filled).toBe(isFilled(body, data))
      }),
    )
  })

  test('one value is printed as one text, in whatever order its members come', () => {
    fc.assert(
      fc.property(draws, (stream) => {
        const value = shape.read(alteredBy(stream), { filled: false })
        if (value === misfit) return
        const shuffled = withMembersShuffled(value, (below) => Number(stream.next().value) % below)
        const text = JSON.stringify(shape.ordered(value))
        expect(JSON.stringify(shape.ordered(shuffled))).toBe(text)
        expect(canonicalJson(parseJson(text))).toBe(canonicalJson(value as Json))
      }),
    )
  })
})

test('replies about the history of scans are read as their schema reads them', () => {
  const said = { record_time_range: [], complete: true }
  const { reply } = updatesOfMigration.of({ body: '{"migration_id":1}' })
  for (const body of [said, { ...said, import_updates_complete: null }, { complete: 1 }, [said]]) {
    const { success, data } = schemaOf(reply).safeParse(body)
    expect(shapeOf(reply).read(body, { filled: false })).toEqual(success ? data : misfit)
  }
})

function withMembersShuffled(value: unknown, draw: (below: number) => number): unknown {
  if (Array.isArray(value)) return value.map((item) => withMembersShuffled(item, draw))
  if (!isJsonObject(value)) return value
  const members = Object.entries(value).map(
    ([key, member]) => [draw(1_000), key, withMembersShuffled(member, draw)] as const,
  )
  members.sort(([a], [b]) => a - b)
  return Object.fromEntries(members.map(([, key, member]) => [key, member]))
}

const texts = record(string)
const short = object({ a: string })
const defaulted = withDefault(string, 'x')
const long = object({ a: string, b: string })

test.each<[string, Pattern, string, unknown]>([
  ['a member that the schema does not know is dropped', short, '{"a":"","b":""}', { a: '' }],
  ['a member of no name of its own is dropped', texts, '{"__proto__":"","c":""}', { c: '' }],
  ['a member of an object is no member of its prototype', short, '{"toString":""}', misfit],
  ['of two kinds the first that fits is given', firstOf(short, long), '{"a":"","b":""}', { a: '' }],
  ['a kind that does not fit is passed over', firstOf(long, short), '{"a":""}', { a: '' }],
  ['a default is given where it is missing', object({ a: defaulted }), '{}', { a: 'x' }],
  ['a default leaves what is there', object({ a: defaulted }), '{"a":"y"}', { a: 'y' }],
  ['an optional member may be absent', object({ a: omittable(string) }), '{}', {}],
])('%s', (_, pattern, text, expected) => {
  const value = parseJson(text)
  const read = shapeOf(pattern).read(value, { filled: false })
  expect(read).toEqual(expected)
  const { success, data } = schemaOf(pattern).safeParse(value)
  expect(success ? data : misfit).toEqual(expected)
})

test('a number that a double would round is no record', () => {
  expect(shapeOf(texts).read(parseJson('9007199254740993'), { filled: false })).toBe(misfit)
})

test('reading stops at the first misfit, whatever follows', () => {
  const looked = new Set<PropertyKey>()
  const items = new Proxy([...'abc', 1, ...'def'.repeat(1000)], {
    get(target, key) {
      if (/^\d+$/.test(String(key))) looked.add(key)
      return Reflect.get(target, key)
    },
  })
  expect(shapeOf(list(string)).read(items, { filled: false })).toBe(misfit)
  expect([...looked]).toEqual(['0', '1', '2', '3'])
})

test('a variant of a union that does not fit leaves none of its defaults behind', () => {
  const filling = object({ kind: literal('a'), left: withDefault(string, '') })
  const plain = object({ kind: literal('b') })
  const findings: Findings = { filled: false }
  shapeOf(firstOf(filling, plain)).read({ kind: 'b' }, findings)
  expect(findings.filled).toBe(false)
})
