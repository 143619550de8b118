import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { freshness, storable } from '../../src/cache/freshness.ts'
import { absenceOf, answerOf } from './samples.ts'

const wall = Date.UTC(2026, 0, 1)
const lifetime = { freshMs: 30_000, staleMs: 300_000 }

function at(ageMs: number, change: { endsInMs?: number; absence?: boolean } = {}) {
  const made = change.absence === true ? absenceOf('a') : answerOf('a')
  const answer = change.endsInMs === undefined ? made : { ...made, endsAt: wall + change.endsInMs }
  return freshness(
    { answer, lifetime, agreedAt: { now: 1_000, wall: wall - ageMs } },
    { now: 1_000 + ageMs, wall },
  )
}

describe('an answer', () => {
  test('is fresh until its fresh time is over, then stale, then ended', () => {
    expect(at(0)).toBe('fresh')
    expect(at(29_999)).toBe('fresh')
    expect(at(30_000)).toBe('stale')
    expect(at(299_999)).toBe('stale')
    expect(at(300_000)).toBe('ended')
  })

  test('ends where it says, fresh or stale', () => {
    expect(at(0, { endsInMs: 1 })).toBe('fresh')
    expect(at(0, { endsInMs: 0 })).toBe('ended')
    expect(at(40_000, { endsInMs: 5_000 })).toBe('stale')
    expect(at(40_000, { endsInMs: -1 })).toBe('ended')
  })

  test('of absence has no stale time', () => {
    expect(at(29_999, { absence: true })).toBe('fresh')
    expect(at(30_000, { absence: true })).toBe('ended')
  })

  test('that has ended by this clock is not kept, nor one that may not be served again', () => {
    expect(storable(answerOf('a', { endsAt: wall }), lifetime, wall)).toBe(false)
    expect(storable(answerOf('a', { endsAt: wall + 1 }), lifetime, wall)).toBe(true)
    expect(storable(answerOf('a'), { freshMs: 0, staleMs: 0 }, wall)).toBe(false)
    expect(storable(answerOf('a'), { freshMs: 0, staleMs: 1 }, wall)).toBe(true)
    expect(storable(absenceOf('a'), { freshMs: 0, staleMs: 1 }, wall)).toBe(false)
  })
})

test.each([-1, 1])(
  'no answer survives a step of the wall clock by more than a minute (direction %i)',
  (direction) => {
    const dated = { answer: answerOf('a'), lifetime, agreedAt: { now: 0, wall } }
    const after = (stepMs: number) =>
      freshness(dated, { now: 5_000, wall: wall + 5_000 + direction * stepMs })
    expect([after(60_000), after(60_001)]).toEqual([direction > 0 ? 'stale' : 'fresh', 'ended'])
  },
)

describe('whatever the times', () => {
  const times = fc.record({
    freshMs: fc.nat(1_000),
    staleMs: fc.nat(2_000),
    endsInMs: fc.option(fc.integer({ min: -1_000, max: 2_000 }), { nil: undefined }),
    absence: fc.boolean(),
    ageMs: fc.nat(3_000),
    laterMs: fc.nat(3_000),
    sleptMs: fc.nat(3_000),
  })
  const order = ['fresh', 'stale', 'ended']

  test('an answer never gets better with age, is fresh exactly while something is left, and ends once', () => {
    fc.assert(
      fc.property(times, ({ freshMs, staleMs, endsInMs, absence, ageMs, laterMs, sleptMs }) => {
        const made = absence ? absenceOf('a') : answerOf('a')
        const answer = endsInMs === undefined ? made : { ...made, endsAt: wall + endsInMs }
        const dated = { answer, lifetime: { freshMs, staleMs }, agreedAt: { now: 0, wall } }
        // A part of the age passed while the machine slept, so the monotonic clock did not count it.
        const awakeMs = Math.max(0, ageMs - sleptMs)
        const now = freshness(dated, { now: awakeMs, wall: wall + ageMs })
        const later = freshness(dated, { now: awakeMs + laterMs, wall: wall + ageMs + laterMs })
        expect(order.indexOf(later)).toBeGreaterThanOrEqual(order.indexOf(now))
        expect(now === 'fresh').toBe(ageMs < Math.min(freshMs, endsInMs ?? freshMs))
        if (endsInMs !== undefined && ageMs >= endsInMs) expect(now).toBe('ended')
        if (ageMs >= Math.max(freshMs, staleMs)) expect(now).toBe('ended')
        if (absence) expect(now).not.toBe('stale')
      }),
      { numRuns: 2_000 },
    )
  })
})
