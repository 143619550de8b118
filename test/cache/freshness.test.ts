import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { freshness } from '../../src/core/cache/answer.ts'
import { absenceOf, answerOf } from './samples.ts'

const wall = Date.UTC(2026, 0, 1)
const lifetime = { freshMs: 30_000, staleMs: 300_000 }

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

  test('an answer is fresh for its time, then stale unless it is an absence, ends where it says, and never gets better', () => {
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
        const isOver = endsInMs !== undefined && ageMs >= endsInMs
        const isStale = !absence && ageMs < staleMs
        expect(now).toBe(isOver ? 'ended' : ageMs < freshMs ? 'fresh' : isStale ? 'stale' : 'ended')
      }),
      { numRuns: 2_000 },
    )
  })
})
