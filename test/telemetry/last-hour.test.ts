import { expect, test } from 'vitest'
import { LastHour } from '../../src/base/telemetry/last-hour.ts'
import { ManualClock } from '../support/manual-clock.ts'

const minute = 60_000

function started() {
  const clock = new ManualClock()
  const hour = new LastHour(clock)
  hour.keep(['sv-1', 'sv-2'])
  return { clock, hour }
}

test('votes and latencies are counted by super validator, and by the minute', () => {
  const { clock, hour } = started()
  hour.voted('sv-1', 'agree')
  hour.asked('sv-1', 'value', 0.1)
  hour.asked('sv-1', 'timeout', 5)
  clock.advance(2 * minute)
  hour.voted('sv-1', 'dissent')
  hour.asked('sv-1', 'refusal', 0.3)
  const counted = hour.of('sv-1')
  expect(counted).toMatchObject({
    votes: { agree: 1, dissent: 1, fault: 0 },
    answered: 2,
    slowestSeconds: 0.3,
  })
  expect(counted.meanSeconds).toBeCloseTo(0.2)
  expect(counted.minutes).toHaveLength(60)
  expect(counted.minutes.slice(-3).map(({ agree, dissent }) => [agree, dissent])).toEqual([
    [1, 0],
    [0, 0],
    [0, 1],
  ])
  expect(hour.of('sv-2')).toMatchObject({ votes: { agree: 0, dissent: 0 }, meanSeconds: undefined })
})

test('minutes older than an hour are forgotten one by one', () => {
  const { clock, hour } = started()
  hour.voted('sv-1', 'agree')
  clock.advance(minute)
  hour.voted('sv-1', 'agree')
  clock.advance(58 * minute)
  expect(hour.of('sv-1').votes.agree).toBe(2)
  clock.advance(minute)
  expect(hour.of('sv-1').votes.agree).toBe(1)
  hour.voted('sv-1', 'lag')
  expect(hour.of('sv-1').votes).toMatchObject({ agree: 1, lag: 1 })
  clock.advance(minute)
  expect(hour.of('sv-1').votes).toMatchObject({ agree: 0, lag: 1 })
  clock.advance(24 * 60 * minute)
  expect(hour.of('sv-1').votes.lag).toBe(0)
})

test('a vote that is filed later is counted in the minute in which it was given', () => {
  const { clock, hour } = started()
  clock.advance(2 * minute)
  hour.voted('sv-1', 'agree')
  hour.voted('sv-1', 'dissent', minute / 2)
  expect(
    hour
      .of('sv-1')
      .minutes.slice(-3)
      .map(({ agree, dissent }) => [agree, dissent]),
  ).toEqual([
    [0, 0],
    [0, 1],
    [1, 0],
  ])
  hour.voted('sv-1', 'dissent', 60 * minute)
  expect(hour.of('sv-1').votes).toMatchObject({ agree: 1, dissent: 1 })
})

test('only super validators in the roster are counted, and one that leaves is forgotten', () => {
  const { hour } = started()
  hour.voted('stranger', 'agree')
  hour.voted('sv-2', 'agree')
  expect(hour.of('stranger').votes.agree).toBe(0)
  hour.keep(['sv-1'])
  hour.keep(['sv-1', 'sv-2'])
  expect(hour.of('sv-2').votes.agree).toBe(0)
})

test('The reads of the last five minutes are counted, and older ones are forgotten', () => {
  const clock = new ManualClock()
  const reads = new LastHour(clock).reads
  expect(reads.counts()).toEqual({ minutes: 5, settled: 0, notAgreed: 0 })
  reads.settled(false)
  clock.advance(120_000)
  reads.settled(true)
  reads.settled(false)
  expect(reads.counts()).toEqual({ minutes: 5, settled: 3, notAgreed: 2 })
  clock.advance(180_000)
  expect(reads.counts()).toEqual({ minutes: 5, settled: 2, notAgreed: 1 })
  reads.settled(true)
  expect(reads.counts()).toEqual({ minutes: 5, settled: 3, notAgreed: 1 })
  clock.advance(600_000)
  expect(reads.counts()).toEqual({ minutes: 5, settled: 0, notAgreed: 0 })
})
