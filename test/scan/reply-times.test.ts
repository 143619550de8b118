import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ReplyTimes } from '../../src/scan/health.ts'

test('the last 32 reply times tell within which time a share of replies came', () => {
  const times = fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 100 })
  const shares = fc.double({ min: 0.01, max: 1, noNaN: true })
  fc.assert(
    fc.property(times, shares, (taken, share) => {
      const known = new ReplyTimes()
      for (const ms of taken) known.add(ms)
      const last = taken.slice(-32)
      const within = known.within(share)
      expect(known.count).toBe(last.length)
      expect(last.filter((ms) => ms <= within).length / last.length).toBeGreaterThanOrEqual(share)
      expect(last.filter((ms) => ms < within).length / last.length).toBeLessThan(share)
    }),
  )
})

test('nothing is known before the first reply', () => {
  expect([new ReplyTimes().count, new ReplyTimes().within(0.5)]).toEqual([0, Number.NaN])
})
