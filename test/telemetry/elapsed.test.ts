import { expect, test } from 'vitest'
import { elapsed } from '../../src/telemetry/elapsed.ts'

test.each([
  [0, '0s'],
  [3_249, '3.2s'],
  [9_960, '10s'],
  [45_400, '45s'],
  [90_000, '1m 30s'],
  [720_000, '12m'],
  [3_600_000 + 5 * 60_000, '1h 5m'],
  [86_400_000 * 3, '3d'],
])('%d ms are printed as %s', (ms, text) => {
  expect(elapsed(ms)).toBe(text)
})
