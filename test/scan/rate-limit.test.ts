import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ingressOf, RateLimit, type RateLimitOptions } from '../../src/core/scan/rate-limit.ts'
import { ManualClock } from '../support/manual-clock.ts'

function paced(options: RateLimitOptions = {}) {
  const clock = new ManualClock(Date.UTC(2026, 10, 21, 12))
  return { clock, rateLimit: new RateLimit(options, clock) }
}

describe('the rate of one node', () => {
  test.each([
    ['asks in any second', { asksPerSecond: 50 }, 'scan', 50, 1_000],
    ['few asks in any second', { asksPerSecond: 10 }, 'scan', 10, 1_000],
    ['asks of the registry in any minute', { registryAsksPerMinute: 120 }, 'registry', 120, 60_000],
    ['one ask of the registry in any minute', { registryAsksPerMinute: 1 }, 'registry', 1, 60_000],
  ] as const)('is never above the limit: %s', (_what, options, ingress, limit, windowMs) => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: windowMs / 4 }), { maxLength: 400 }), (pauses) => {
        const { clock, rateLimit } = paced(options)
        const taken: number[] = []
        for (const ms of pauses) {
          clock.advance(ms)
          for (let turn = rateLimit.tryTake(ingress); turn !== undefined; turn = rateLimit.tryTake(ingress))
            taken.push(clock.now() + turn)
        }
        for (const [at, time] of taken.entries()) {
          const inWindow = taken.slice(at).filter((other) => other - time < windowMs)
          expect(inWindow.length).toBeLessThanOrEqual(limit)
        }
      }),
    )
  })

  test('is used up and restored, for a caller that asks all the time', () => {
    const { clock, rateLimit } = paced({ registryAsksPerMinute: 120 })
    let asked = 0
    for (let ms = 0; ms < 600_000; ms += 100) {
      if (rateLimit.tryTake('registry') !== undefined) asked++
      clock.advance(100)
    }
    // Ten minutes permit 10 * 120 asks. An ask may get its turn up to a second early, so the last asks may take turns
    // of an eleventh minute.
    expect(asked).toBeGreaterThanOrEqual(1_200)
    expect(asked).toBeLessThanOrEqual(1_320)
  })

  test('asks that come up to a second too early get a turn, others none', () => {
    const { clock, rateLimit } = paced({ asksPerSecond: 40 })
    const take = (count: number) => Array.from({ length: count }, () => rateLimit.tryTake('scan'))
    expect(take(40)).toEqual(Array(40).fill(0))
    clock.advance(400)
    expect([rateLimit.allows('scan'), rateLimit.refuses('scan'), rateLimit.waitMs('scan')]).toEqual([
      false,
      false,
      600,
    ])
    expect(take(41)).toEqual([...Array(40).fill(600), undefined])
    expect([rateLimit.refuses('scan'), rateLimit.isPaused, rateLimit.waitMs('scan')]).toEqual([
      true,
      false,
      1_600,
    ])
    clock.advance(600)
    expect(rateLimit.refuses('scan')).toBe(false)
  })

  test('has plenty left while less than three quarters of it are used', () => {
    const { clock, rateLimit } = paced({ asksPerSecond: 12, registryAsksPerMinute: 2 })
    expect([rateLimit.hasPlenty('scan'), rateLimit.hasPlenty('registry')]).toEqual([true, true])
    rateLimit.tryTake('registry')
    rateLimit.tryTake('registry')
    expect([rateLimit.hasPlenty('scan'), rateLimit.hasPlenty('registry')]).toEqual([true, false])
    for (let ask = 0; ask < 7; ask++) rateLimit.tryTake('scan')
    expect(rateLimit.hasPlenty('scan')).toBe(false)
    clock.advance(1_000)
    expect(rateLimit.hasPlenty('scan')).toBe(true)
    rateLimit.answered(429, '1')
    expect(rateLimit.hasPlenty('scan')).toBe(false)
  })

  test('turns that were given for later are kept to by who is asked now', () => {
    const { clock, rateLimit } = paced({ asksPerSecond: 10, registryAsksPerMinute: 1 })
    rateLimit.tryTake('registry')
    clock.advance(59_500)
    expect(rateLimit.tryTake('registry')).toBe(500)
    expect(Array.from({ length: 10 }, () => rateLimit.tryTake('scan'))).toEqual([...Array(9).fill(0), 1_000])
  })

  test('has no limit for the token registry by default', () => {
    const { rateLimit } = paced()
    for (let ask = 0; ask < 10_000; ask++) expect(rateLimit.tryTake('registry')).toBe(0)
    expect(rateLimit.waitMs('registry')).toBe(0)
  })

  test.each([
    ['/registry/metadata/v1/info', 'registry'],
    ['/api/scan/v0/dso', 'scan'],
  ])('%s falls under the limit of the %s', (path, ingress) => {
    expect(ingressOf({ path })).toBe(ingress)
  })
})

describe('a node that asks for a pause', () => {
  test.each([
    ['seconds', 429, '7', 7_000],
    ['seconds of an overload', 503, '7', 7_000],
    ['a date', 429, 'Sat, 21 Nov 2026 12:00:09 GMT', 9_000],
    ['a date that is over', 429, 'Sat, 21 Nov 2026 11:59:59 GMT', 0],
    ['nothing of the time', 429, undefined, 1_000],
    ['nothing that can be read', 429, 'soon', 1_000],
    ['a negative number', 429, '-5', 1_000],
    ['nothing of the time of an overload', 503, undefined, 0],
    ['more than anybody waits', 429, '86400', 600_000],
    ['digits without end', 429, '9'.repeat(400), 600_000],
    ['something else', 500, '7', 0],
  ] as const)('is not asked before: %s', (_what, status, retryAfter, pauseMs) => {
    const { clock, rateLimit } = paced({ asksPerSecond: 50 })
    rateLimit.answered(status, retryAfter)
    expect(rateLimit.waitMs('scan')).toBe(pauseMs)
    if (pauseMs > 0) {
      clock.advance(pauseMs - 1)
      expect([rateLimit.tryTake('scan'), rateLimit.tryTake('registry')]).toEqual([undefined, undefined])
      expect([rateLimit.isPaused, rateLimit.refuses('scan')]).toEqual([true, true])
      clock.advance(1)
    }
    expect(rateLimit.tryTake('scan')).toBe(0)
  })

  test('a shorter one does not end a longer one', () => {
    const { rateLimit } = paced()
    rateLimit.answered(429, '60')
    rateLimit.answered(429, '1')
    expect(rateLimit.waitMs('scan')).toBe(60_000)
  })
})
