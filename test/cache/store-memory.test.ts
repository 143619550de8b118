import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { topic } from '../../src/core/cache/key.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { openMemoryStore } from './open.ts'
import { absenceOf, answerOf, byName, keyOf, rememberedOf } from './samples.ts'

const mebibyte = 1024 * 1024
const open = (maxBytes = mebibyte) => openMemoryStore(new ManualClock(), maxBytes).store

describe('answers in memory', () => {
  test('stay within the bytes given, whatever is kept', async () => {
    const entry = fc.record({
      name: fc.string({ maxLength: 2_000 }),
      size: fc.nat(40_000),
      absent: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { minLength: 20, maxLength: 60 }), async (entries) => {
        const store = open(200_000)
        const bodies = new Map<string, number>()
        for (const { name, size, absent } of entries) {
          const answer = answerOf(Buffer.alloc(size), absent ? { kind: 'absence', status: 404 } : {})
          await store.set(keyOf(name), rememberedOf(answer))
          bodies.set(name, size)
        }
        let kept = 0
        for (const [name, size] of bodies) {
          if (store.peek(keyOf(name)) !== undefined) kept += size + keyOf(name).length
        }
        const { values, absences } = store.bytes
        expect(kept).toBeLessThanOrEqual(values + absences)
        expect(values + absences).toBeLessThanOrEqual(200_000)
        expect(absences).toBeLessThanOrEqual(50_000)
      }),
      { numRuns: 50 },
    )
  })

  test('go in the order of their last use', async () => {
    const store = open(100_000)
    const body = Buffer.alloc(10_000)
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f'])
      await store.set(keyOf(name), rememberedOf(answerOf(body)))
    store.peek(keyOf('a'))
    await store.set(keyOf('g'), rememberedOf(answerOf(body)))
    expect(store.peek(keyOf('a'))).toBeDefined()
    expect(store.peek(keyOf('b'))).toBeUndefined()
  })

  test('are not kept when one alone would take half of the room', async () => {
    const store = open()
    await store.set(keyOf('alice'), rememberedOf(answerOf('alice')))
    await store.set(keyOf('huge'), rememberedOf(answerOf(Buffer.alloc(mebibyte / 2))))
    expect(store.peek(keyOf('huge'))).toBeUndefined()
    expect(store.peek(keyOf('alice'))).toBeDefined()
  })

  test('hold no larger buffer that their body was cut out of', async () => {
    const store = open()
    const whole = Buffer.allocUnsafeSlow(64 * 1024)
    await store.set(keyOf('alice'), rememberedOf(answerOf(whole.subarray(0, 100))))
    const body = store.peek(keyOf('alice'))?.answer.body
    expect(body?.length).toBe(100)
    expect(body?.buffer.byteLength).toBe(100)
  })

  test('take no room any more once they were invalidated and looked at, or the store was closed', async () => {
    for (const answer of [answerOf('alice'), absenceOf('alice')]) {
      const { store, invalidations } = openMemoryStore(new ManualClock(), mebibyte)
      const before = invalidations.current
      invalidations.invalidate([topic(byName, { name: 'alice' })])
      await store.set(keyOf('alice'), rememberedOf(answer, { point: before }))
      expect(store.peek(keyOf('alice'))).toBeUndefined()
      expect(store.bytes).toEqual({ values: 0, absences: 0 })
      await store.set(keyOf('bob'), rememberedOf(answer))
      expect(store.bytes.values + store.bytes.absences).toBeGreaterThan(0)
      await store[Symbol.asyncDispose]()
      expect(store.bytes).toEqual({ values: 0, absences: 0 })
    }
  })
})
