import fc from 'fast-check'
import { expect, test } from 'vitest'
import { notBeforeHeaders, wantedNotBefore } from '../../src/client/not-before.ts'
import { notBeforeOf } from '../../src/server/http/read-lanes.ts'

const wall = Date.UTC(2026, 0, 1) + 345
const nearNow = fc.integer({ min: wall - 5_000, max: wall + 5_000 })
const anyTime = fc.integer({ min: -8_640_000_000_000_000, max: 8_640_000_000_000_000 })

test('a daemon never understands less than the caller of the client wants, and at most a second more', () => {
  fc.assert(
    fc.property(fc.option(fc.oneof(nearNow, anyTime), { nil: undefined }), fc.boolean(), (time, live) => {
      const wanted = { live, ...(time !== undefined && { notBefore: new Date(time) }) }
      const asked = wantedNotBefore(wanted, wall)
      const understood = notBeforeOf(notBeforeHeaders(wanted, wall), wall)
      if (asked === undefined) expect(understood).toBeUndefined()
      else {
        expect(understood).toBeGreaterThanOrEqual(asked)
        expect(understood).toBeLessThan(asked + 1_000)
        expect(understood).toBeLessThanOrEqual(Math.max(wall, Math.ceil(asked / 1000) * 1000))
        if (asked <= wall) expect(understood, 'nothing of the future').toBeLessThanOrEqual(wall)
      }
    }),
  )
})

test('a caller that wants nothing older than now gets a live read, not an error', () => {
  expect(notBeforeHeaders({ notBefore: new Date(wall) }, wall)).toEqual({ 'x-bft-live': '?1' })
})
