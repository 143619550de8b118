import fc from 'fast-check'
import { expect, test } from 'vitest'
import { gridAfter, gridAt, gridMs } from '../../src/mirror/snapshot-grid.ts'

test.each([
  ['2026-03-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z', '2026-03-01T03:00:00.000Z'],
  ['2026-03-01T02:59:59.999Z', '2026-03-01T00:00:00.000Z', '2026-03-01T03:00:00.000Z'],
  ['2026-12-31T21:00:00.001Z', '2026-12-31T21:00:00.000Z', '2027-01-01T00:00:00.000Z'],
])('at %s the latest snapshot is that of %s, and the next that of %s', (time, latest, next) => {
  expect(new Date(gridAt(Date.parse(time))).toISOString()).toBe(latest)
  expect(new Date(gridAfter(Date.parse(time))).toISOString()).toBe(next)
})

test('every time lies in exactly one step of the grid', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4e12 }), (time) => {
      expect(gridAt(time)).toBeLessThanOrEqual(time)
      expect(gridAfter(time)).toBeGreaterThan(time)
      expect(gridAfter(time) - gridAt(time)).toBe(gridMs)
      expect(new Date(gridAt(time)).getUTCHours() % 3).toBe(0)
    }),
  )
})
