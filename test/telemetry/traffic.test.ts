import { describe, expect, test } from 'vitest'
import { createMetrics } from '../../src/base/telemetry/metrics.ts'
import { Traffic } from '../../src/base/telemetry/traffic.ts'
import { ManualClock } from '../support/manual-clock.ts'

function started() {
  const clock = new ManualClock()
  const metrics = createMetrics({ version: '1', reads: ['a', 'b'] })
  for (const route of ['a', 'b', 'page']) metrics.admitRoute(route)
  const traffic = new Traffic(metrics, clock, ['a', 'b'])
  const answer = (route: string, status: string, seconds: number, times = 1) => {
    for (let call = 0; call < times; call++) {
      metrics.http_requests_total.with({ route, method: 'GET', status }).inc()
      metrics.http_request_duration_seconds.with({ route, method: 'GET', status }).observe(seconds)
    }
  }
  const last = () => traffic.minutes().at(-1)
  return { clock, metrics, traffic, answer, last }
}

describe('The traffic of the last hour', () => {
  test('counts the reads of callers by how they ended, and nothing else', () => {
    const { traffic, answer, last } = started()
    answer('a', '200', 0.01, 3)
    answer('b', '304', 0.01)
    answer('a', '404', 0.01, 2)
    answer('b', '429', 0.01)
    answer('b', '502', 0.01)
    answer('page', '200', 0.01, 50)
    traffic.sample()
    expect(last()).toMatchObject({ answered: 4, absent: 2, refused: 1, failed: 1 })
  })

  test('adds each sample to the minute in which it was taken, and forgets a minute after an hour', () => {
    const { clock, traffic, answer, last } = started()
    answer('a', '200', 0.01, 2)
    traffic.sample()
    answer('a', '200', 0.01)
    clock.advance(5_000)
    traffic.sample()
    expect(last()).toMatchObject({ answered: 3 })
    clock.advance(60_000)
    answer('a', '200', 0.01)
    traffic.sample()
    expect(traffic.minutes().map(({ answered }) => answered)).toEqual([...Array(58).fill(0), 3, 1])
    clock.advance(3_600_000)
    traffic.sample()
    expect(traffic.minutes().map(({ answered }) => answered)).toEqual(Array(60).fill(0))
  })

  test('tells a minute without reads from one in which the daemon did not run', () => {
    const { clock, traffic } = started()
    clock.advance(60_000)
    traffic.sample()
    const seconds = traffic.minutes().map((minute) => minute.seconds)
    expect(seconds.slice(0, 59)).toEqual(Array(59).fill(0))
    expect(seconds[59]).toBeGreaterThan(0)
  })

  test("counts the callers' reads that the cache answered, and no other lookup in the cache", () => {
    const { metrics, traffic, answer, last } = started()
    answer('a', '200', 0.01, 10)
    metrics.http_cache_hits_total.with({ route: 'a' }).inc(5)
    metrics.http_cache_hits_total.with({ route: 'b' }).inc()
    metrics.http_cache_hits_total.with({ route: 'page' }).inc(50)
    metrics.cache_lookups_total.with({ tier: 'memory', result: 'hit' }).inc(100)
    traffic.sample()
    expect(last()).toMatchObject({ answered: 10, hits: 6 })
  })

  test('knows how long half of the reads took, and 95 % of them', () => {
    const { traffic, answer, last } = started()
    expect(last()).toMatchObject({ p50: undefined, p95: undefined })
    answer('a', '200', 0.001, 90)
    answer('b', '200', 1, 10)
    traffic.sample()
    const { p50, p95 } = last() ?? {}
    expect(p50).toBeLessThanOrEqual(0.001)
    expect(p95).toBeGreaterThan(0.25)
    expect(p95).toBeLessThanOrEqual(2.5)
  })
})
