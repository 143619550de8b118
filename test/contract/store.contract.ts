import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ageMs, momentOf } from '../../src/base/lib/clock.ts'
import { freshness } from '../../src/core/cache/answer.ts'
import type { InvalidationLog } from '../../src/core/cache/invalidation-log.ts'
import { cacheKey, topic } from '../../src/core/cache/key.ts'
import type { Remembered, Store } from '../../src/core/cache/store.ts'
import { absenceOf, answerOf, byName, keyOf, list, minutes, rememberedOf, trust } from '../cache/samples.ts'
import { ago, type ManualClock } from '../support/manual-clock.ts'

export interface StoreUnderTest extends AsyncDisposable {
  readonly store: Store
  readonly clock: ManualClock
  readonly invalidations: InvalidationLog
}

export function storeContract(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`a ${name} store`, () => {
    test('gives back what was set under a key, and nothing under another', async () => {
      await using under = await open()
      const { store } = under
      const set = rememberedOf(
        answerOf('alice', {
          endsAt: under.clock.wall() + 90_000,
          agreement: {
            agreed: ['Ünïcødé', 'sv-2'],
            threshold: 2,
            asked: 3,
            voters: 4,
            operators: { agreed: 2, threshold: 2, voters: 3 },
            complete: false,
            protected: true,
          },
        }),
        { agreedAt: ago(under.clock) },
      )
      await store.set(keyOf('alice'), set)
      expectSame(await store.get(keyOf('alice')), set)
      expect(await store.get(keyOf('bob'))).toBeUndefined()
    })

    test('keeps bytes as they are: none, all 256, and 4 MiB', async () => {
      await using under = await open()
      const bodies = {
        none: Buffer.alloc(0),
        every: Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)),
        large: Buffer.alloc(4 * 1024 * 1024, 'x'),
      }
      for (const [name, body] of Object.entries(bodies)) {
        await under.store.set(keyOf(name), rememberedOf(answerOf(body), { agreedAt: ago(under.clock) }))
      }
      for (const [name, body] of Object.entries(bodies)) {
        expect((await under.store.get(keyOf(name)))?.answer.body.equals(body)).toBe(true)
      }
    })

    test('keeps a body that was cut out of a larger buffer', async () => {
      await using under = await open()
      const body = Buffer.from('before-alice-after').subarray(7, 12)
      await under.store.set(keyOf('alice'), rememberedOf(answerOf(body), { agreedAt: ago(under.clock) }))
      expect((await under.store.get(keyOf('alice')))?.answer.body.toString()).toBe('alice')
    })

    test('counts the time for which the machine slept, and gives nothing back after a step of the wall clock backwards', async () => {
      for (const sleptMs of [40_000, 61_000, -61_000]) {
        await using under = await open()
        const set = rememberedOf(answerOf('alice'), { agreedAt: ago(under.clock, 5_000) })
        await under.store.set(keyOf('alice'), set)
        under.clock.sleep(sleptMs)
        const found = await under.store.get(keyOf('alice'))
        const at = momentOf(under.clock)
        const isServed = found !== undefined && freshness(found, at) !== 'ended'
        if (sleptMs !== 61_000) expect(isServed).toBe(sleptMs > 0)
        if (isServed) expect(ageMs(found.agreedAt, at)).toBe(5_000 + sleptMs)
      }
    })

    test('never makes an age younger', async () => {
      await using under = await open()
      const agreedAt = ago(under.clock, 20_000)
      await under.store.set(keyOf('alice'), rememberedOf(answerOf('alice'), { agreedAt }))
      under.clock.advance(5_000)
      const found = await under.store.get(keyOf('alice'))
      expect(under.clock.now() - (found?.agreedAt.now ?? Number.POSITIVE_INFINITY)).toBeGreaterThanOrEqual(
        25_000,
      )
    })

    test('tells keys apart that differ in anything', async () => {
      await using under = await open()
      const names = ['a', 'A', '%61', 'a\u0000', '\u0000a', 'é', 'e\u0301', '\ud800', '\udfff', '\ufffd', '']
      names.push('x'.repeat(10_000), `${'x'.repeat(9_999)}y`)
      for (const name of names) {
        await under.store.set(keyOf(name), rememberedOf(answerOf(name), { agreedAt: ago(under.clock) }))
      }
      for (const name of names) {
        expect((await under.store.get(keyOf(name)))?.answer.body).toEqual(answerOf(name).body)
      }
    })

    test('gives nothing that was loaded before its question was invalidated, and all that was loaded since', async () => {
      await using under = await open()
      const { store, invalidations, clock } = under
      const alice = keyOf('alice')
      const otherTrust = cacheKey('other', byName, { name: 'alice' })
      const before = rememberedOf(answerOf('before'), {
        agreedAt: ago(clock),
        point: invalidations.current,
      })
      for (const key of [alice, otherTrust, keyOf('bob')]) await store.set(key, before)
      invalidations.invalidate([topic(byName, { name: 'alice' })])
      expect(await store.get(alice)).toBeUndefined()
      expect(await store.get(otherTrust)).toBeUndefined()
      expectSame(await store.get(keyOf('bob')), before)
      const late = rememberedOf(answerOf('late'), { agreedAt: ago(clock), point: before.point })
      await store.set(alice, late)
      expect(await store.get(alice)).toBeUndefined()
    })

    test('gives nothing that was loaded before its read was invalidated', async () => {
      await using under = await open()
      const { store, invalidations, clock } = under
      const before = rememberedOf(answerOf('before'), {
        agreedAt: ago(clock),
        point: invalidations.current,
      })
      const pages = ['1', '1000'].map((page_size) => cacheKey(trust, list, { page_size }))
      for (const key of [...pages, keyOf('alice')]) await store.set(key, before)
      invalidations.invalidate([topic(list)])
      for (const key of pages) expect(await store.get(key)).toBeUndefined()
      expectSame(await store.get(keyOf('alice')), before)
    })

    test('holds the last value or absence of each key after any order of sets and deletes', async () => {
      await using under = await open()
      const { store, clock } = under
      const answers = fc
        .tuple(fc.constantFrom(answerOf, absenceOf), fc.string())
        .map(([of, text]) => of(text))
      const step = fc.record({ name: fc.constantFrom('a', 'b', 'c'), answer: fc.option(answers) })
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
          const model = new Map<string, Remembered>()
          for (const name of ['a', 'b', 'c']) await store.delete(keyOf(name))
          for (const { name, answer } of steps) {
            if (answer === null) {
              await store.delete(keyOf(name))
              model.delete(name)
            } else {
              const set = rememberedOf(answer, { agreedAt: ago(clock) })
              await store.set(keyOf(name), set)
              model.set(name, set)
            }
          }
          for (const name of ['a', 'b', 'c']) expectSame(await store.get(keyOf(name)), model.get(name))
        }),
        { numRuns: 30 },
      )
    })

    test('is silent after it was disposed of', async () => {
      const under = await open()
      await under[Symbol.asyncDispose]()
      await under.store.set(keyOf('alice'), rememberedOf(answerOf('alice')))
      await under.store.get(keyOf('alice'))
      await under.store.delete(keyOf('alice'))
    })

    test('keeps the lifetime that was set', async () => {
      await using under = await open()
      const set = rememberedOf(answerOf('alice'), {
        agreedAt: ago(under.clock),
        lifetime: { ...minutes, freshMs: 1_234 },
      })
      await under.store.set(keyOf('alice'), set)
      expect((await under.store.get(keyOf('alice')))?.lifetime).toEqual(set.lifetime)
    })
  })
}

/**
 * `found.agreedAt` may be up to 10 s earlier than `set.agreedAt`. The `point` is not compared, because each process
 * counts its own invalidations.
 */
function expectSame(found: Remembered | undefined, set: Remembered | undefined): void {
  expect(found?.answer).toEqual(set?.answer)
  expect(found?.lifetime).toEqual(set?.lifetime)
  if (set === undefined || found === undefined) return
  expect(found.agreedAt.now).toBeLessThanOrEqual(set.agreedAt.now)
  expect(found.agreedAt.now).toBeGreaterThan(set.agreedAt.now - 10_000)
}
