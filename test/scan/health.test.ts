import { describe, expect, test } from 'vitest'
import { Health } from '../../src/core/scan/health.ts'
import { ManualClock } from '../support/manual-clock.ts'

function answeredIn(times: readonly number[], kind = 'small') {
  const clock = new ManualClock()
  const health = new Health(clock)
  for (const ms of times) health.answered(ms, kind)
  return { clock, health }
}

const spread = (ms: number) => Array.from({ length: 20 }, (_, at) => (at + 1) * ms)

describe('the health of a scan', () => {
  test('keeps what takes long apart from what does not', () => {
    const { clock, health } = answeredIn(spread(1))
    for (const ms of spread(100)) health.answered(ms, 'listUpdates')
    const now = clock.now()
    expect([health.expectedMs('small', now), health.expectedMs('listUpdates', now)]).toEqual([15, 1_500])
    expect(health.expectedMs('listOthers', now)).toBe(15)
    expect([health.lateMs('small'), health.lateMs('listOthers')]).toEqual([20, 250])
  })

  test.each([
    ['each of the last took less time', spread(10), 200],
    ['no reply is late before 10 ms', spread(0.1), 10],
    ['few replies allow for twice the longest of them', [30, 31, 40], 80],
    ['one that is slow now and then teaches no patience', [...Array(16).fill(20), ...Array(4).fill(900)], 50],
    ['none is waited for longer than two seconds', Array(20).fill(9_000), 2_000],
  ])('tells when a reply is late: %s', (_, times, lateMs) => {
    expect(answeredIn(times).health.lateMs('small')).toBe(lateMs)
  })

  test('does not take one for silent that has answered what was asked later', () => {
    const { clock, health } = answeredIn(spread(10))
    const asked = clock.now()
    clock.advance(100)
    health.answered(20, 'small')
    health.late(asked)
    clock.advance(5_000)
    expect(health.expectedMs('small', clock.now())).toBe(150)
  })

  test('is to be probed soon after a fault, and then ever later, until it answers a read', () => {
    const health = new Health(new ManualClock())
    expect(health.probeAfterMs(30_000)).toBe(30_000)
    const after = Array.from({ length: 7 }, () => {
      health.failed()
      return health.probeAfterMs(30_000)
    })
    expect(after).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000])
    health.probed(10)
    expect(health.probeAfterMs(30_000)).toBe(30_000)
    health.failed()
    expect(health.probeAfterMs(30_000)).toBe(30_000)
    health.answered(10, 'small')
    health.failed()
    expect(health.probeAfterMs(30_000)).toBe(1_000)
  })

  test('is not failing where it only wants to be asked less', () => {
    const { health } = answeredIn([10])
    health.throttled()
    expect([health.reachable, health.isFailing, health.availability]).toEqual([false, false, 0.8])
  })
})
