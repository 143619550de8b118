import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { freshness, storable } from '../../src/cache/freshness.ts'
import { absenceOf, answerOf } from './samples.ts'

const wall = Date.UTC(2026, 0, 1)
const lifetime = { freshMs: 30_000, staleMs: 300_000 }

function at(ageMs: number, change: { endsInMs?: number; absence?: boolean } = {}) {
  const made = change.absence === true ? absenceOf('a') : answerOf('a')
  const answer = change.endsInMs === undefined ? made : { ...made, endsAt: wall + change.endsInMs }
  return freshness({ answer, lifetime, agreedAt: 1_000 }, 1_000 + ageMs, wall)
}

describe('an answer', () => {
  test('is fresh until its fresh time is over, then stale, then ended', () => {
    expect(at(0)).toEqual({ state: 'fresh', ageMs: 0 })
    expect(at(29_999)).toEqual({ state: 'fresh', ageMs: 29_999 })
    expect(at(30_000)).toEqual({ state: 'stale', ageMs: 30_000 })
    expect(at(299_999)).toMatchObject({ state: 'stale' })
    expect(at(300_000)).toMatchObject({ state: 'ended' })
  })

  test('ends where it says, fresh or stale', () => {
    expect(at(0, { endsInMs: 1 })).toMatchObject({ state: 'fresh' })
    expect(at(0, { endsInMs: 0 })).toMatchObject({ state: 'ended' })
    expect(at(40_000, { endsInMs: 5_000 })).toMatchObject({ state: 'stale' })
    expect(at(40_000, { endsInMs: -1 })).toMatchObject({ state: 'ended' })
  })

  test('of absence has no stale time', () => {
    expect(at(29_999, { absence: true })).toMatchObject({ state: 'fresh' })
    expect(at(30_000, { absence: true })).toMatchObject({ state: 'ended' })
  })

  test('is never of a negative age', () => {
    expect(at(-5)).toMatchObject({ state: 'fresh', ageMs: 0 })
  })

  test('that has ended by this clock is not kept, nor one that may not be served again', () => {
    expect(storable(answerOf('a', { endsAt: wall }), lifetime, wall)).toBe(false)
    expect(storable(answerOf('a', { endsAt: wall + 1 }), lifetime, wall)).toBe(true)
    expect(storable(answerOf('a'), { freshMs: 0, staleMs: 0 }, wall)).toBe(false)
    expect(storable(answerOf('a'), { freshMs: 0, staleMs: 1 }, wall)).toBe(true)
    expect(storable(absenceOf('a'), { freshMs: 0, staleMs: 1 }, wall)).toBe(false)
  })
})

describe('whatever the times', () => {
  const times = fc.record({
    freshMs: fc.nat(1_000),
    staleMs: fc.nat(2_000),
    endsInMs: fc.option(fc.integer({ min: -1_000, max: 2_000 }), { nil: undefined }),
    absence: fc.boolean(),
    ageMs: fc.nat(3_000),
    laterMs: fc.nat(3_000),
  })
  const order = ['fresh', 'stale', 'ended']

  test('an answer never gets better with age, is fresh exactly while something is left, and ends once', () => {
    fc.assert(
      fc.property(times, ({ freshMs, staleMs, endsInMs, absence, ageMs, laterMs }) => {
        const made = absence ? absenceOf('a') : answerOf('a')
        const answer = endsInMs === undefined ? made : { ...made, endsAt: wall + endsInMs }
        const dated = { answer, lifetime: { freshMs, staleMs }, agreedAt: 0 }
        const now = freshness(dated, ageMs, wall + ageMs)
        const later = freshness(dated, ageMs + laterMs, wall + ageMs + laterMs)
        expect(order.indexOf(later.state)).toBeGreaterThanOrEqual(order.indexOf(now.state))
        expect(now.state === 'fresh').toBe(ageMs < Math.min(freshMs, endsInMs ?? freshMs))
        if (endsInMs !== undefined && ageMs >= endsInMs) expect(now.state).toBe('ended')
        if (ageMs >= Math.max(freshMs, staleMs)) expect(now.state).toBe('ended')
        if (absence) expect(now.state).not.toBe('stale')
      }),
      { numRuns: 2_000 },
    )
  })
})
