import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { isJsonObject, parseJson } from '../../src/lib/canonical-json.ts'
import { samples } from '../../src/reads/samples.ts'
import { reads } from '../../src/reads/table.ts'
import { unchangedBy } from '../../src/reads/unchanged.ts'

/** Whether a schema gives what it was given, found out by letting it. */
function isGivenAsItIs(schema: z.ZodType, value: unknown): boolean {
  const { success, data } = schema.safeParse(value)
  return success && isDeepStrictEqual(data, value)
}

const others = [null, true, 0, 1.5, 1e300, '', 'x', '2026-13-01T00:00:00Z', [], [null], {}, { a: 1 }]

/** A body of JSON in which some of all members are left out, added, replaced, renamed or in another order. */
function bent(body: unknown, draw: (below: number) => number): unknown {
  if (draw(40) === 0) return others[draw(others.length)]
  if (Array.isArray(body)) return body.map((item) => bent(item, draw))
  if (!isJsonObject(body)) return body
  const members = Object.entries(body)
    .filter(() => draw(40) > 0)
    .map(([key, member]) => [draw(60) === 0 ? `${key}s` : key, bent(member, draw)])
  if (draw(40) === 0) members.push(['added', 1])
  return Object.fromEntries(draw(3) === 0 ? members.reverse() : members)
}

describe.each(Object.values(reads))('$id', (read) => {
  const unchanged = unchangedBy(read.reply)
  const sample: unknown = samples[read.id as keyof typeof samples].reply

  test('its sample is taken as it is', () => {
    expect(unchanged(read.reply.parse(sample))).toBe(true)
  })

  test('a body is known to be unchanged exactly where its schema changes nothing', () => {
    const draws = fc.infiniteStream(fc.nat(1_000_000))
    fc.assert(
      fc.property(draws, (stream) => {
        const body = bent(sample, (below) => Number(stream.next().value) % below)
        expect(unchanged(body)).toBe(isGivenAsItIs(read.reply, body))
      }),
    )
  })
})

const texts = z.record(z.string(), z.string())
const short = z.object({ a: z.string() })
const long = z.object({ a: z.string(), b: z.string() })

test.each<[string, z.ZodType, string, boolean]>([
  ['members in another order are unchanged', long, '{"b":"","a":""}', true],
  ['a member that the schema does not know is dropped', short, '{"a":"","b":""}', false],
  ['a member of no name of its own is dropped', texts, '{"__proto__":""}', false],
  ['a member of an object is no member of its prototype', short, '{"toString":""}', false],
  ['a number that a double would round is no record', texts, '9007199254740993', false],
  ['of two kinds the first that fits is given', z.union([short, long]), '{"a":"","b":""}', false],
  ['of two kinds the only one that fits is given', z.union([long, short]), '{"a":""}', true],
  ['what is told apart is of one kind', told(), '{"kind":"b","a":""}', true],
  ['what is told apart is of no other kind', told(), '{"kind":"a","a":""}', false],
  ['an optional member may be absent', z.object({ a: z.string().optional() }), '{}', true],
  ['an optional member with a default is given', z.object({ a: defaulted().optional() }), '{}', false],
  ['a default is given where it is missing', z.object({ a: defaulted() }), '{}', false],
  ['a default leaves what is there', z.object({ a: defaulted() }), '{"a":"y"}', true],
  ['-0 is a number', z.int(), '0', true],
  ['what two kinds may be is neither where it may be both', z.xor([short, long]), '{"a":"","b":""}', false],
])('%s', (_, schema, text, expected) => {
  const value = parseJson(text)
  expect(unchangedBy(schema)(value)).toBe(expected)
  if (expected) expect(isGivenAsItIs(schema, value)).toBe(true)
})

test.each<[string, z.ZodType]>([
  ['a check that is no plain predicate', z.string().trim()],
  ['a format', z.email()],
  ['a format of numbers', z.float32()],
  ['a change', z.string().transform((text) => text)],
  ['a predicate with a condition', z.string().refine(() => true, { when: () => true })],
  ['a record of certain keys', z.record(z.string().min(1), z.string())],
])('nothing is known of %s', (_, schema) => {
  const unchanged = unchangedBy(schema)
  for (const value of ['a', 'a@b.cd', 1, {}]) expect(unchanged(value)).toBe(false)
})

function told() {
  return z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('a') }),
    z.object({ kind: z.literal('b'), a: z.string() }),
  ])
}

function defaulted() {
  return z.string().default('x')
}
