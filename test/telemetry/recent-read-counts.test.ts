import { expect, test } from 'vitest'
import { RecentReadCounts } from '../../src/telemetry/recent-read-counts.ts'
import { ManualClock } from '../support/manual-clock.ts'

test('The reads of the last five minutes are counted, and older ones are forgotten', () => {
  const clock = new ManualClock()
  const reads = new RecentReadCounts(clock)
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
