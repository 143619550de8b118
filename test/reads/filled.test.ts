import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { isJsonObject } from '../../src/lib/canonical-json.ts'
import { filledBy } from '../../src/reads/filled.ts'
import { samples } from '../../src/reads/samples.ts'
import { reads } from '../../src/reads/table.ts'

/** The same found out by comparing everything. */
function isFilled(body: unknown, value: unknown): boolean {
  if (Array.isArray(value) && Array.isArray(body)) return value.some((item, at) => isFilled(body[at], item))
  if (!isJsonObject(value) || !isJsonObject(body)) return false
  return Object.keys(value).some((key) => !Object.hasOwn(body, key) || isFilled(body[key], value[key]))
}

/** What is left where some of all members are not there. */
function without(body: unknown, leavesOut: () => boolean): unknown {
  if (Array.isArray(body)) return body.map((item) => without(item, leavesOut))
  if (!isJsonObject(body)) return body
  const kept = Object.entries(body).filter(() => !leavesOut())
  return Object.fromEntries(kept.map(([key, member]) => [key, without(member, leavesOut)]))
}

describe.each(Object.values(reads))('$id', (read) => {
  test('is known to be filled in wherever a body left something out', () => {
    const filled = filledBy(read.reply) ?? (() => false)
    const given: unknown = samples[read.id as keyof typeof samples].reply
    fc.assert(
      fc.property(fc.infiniteStream(fc.integer({ min: 0, max: 9 })), (draws) => {
        const body = without(given, () => draws.next().value === 0)
        const parsed = read.reply.safeParse(body)
        if (parsed.success) expect(filled(body, parsed.data)).toBe(isFilled(body, parsed.data))
      }),
    )
  })
})

test('what is filled in is found in lists, records and every kind of a union', () => {
  const inner = z.object({ kind: z.literal('a'), left: z.string().nullable().default(null) })
  const other = z.object({ kind: z.literal('b'), left: z.string() })
  const filled = filledBy(z.object({ all: z.array(z.record(z.string(), z.union([other, inner]))) }))
  const value = { all: [{ x: { kind: 'b', left: '' } }, { y: { kind: 'a', left: null } }] }
  expect(filled?.(value, value)).toBe(false)
  expect(filled?.({ all: [{ x: { kind: 'b', left: '' } }, { y: { kind: 'a' } }] }, value)).toBe(true)
})
