import { expect, test } from 'vitest'
import { instant } from '../../src/registry/ledger/contract-json.ts'

test.each([
  [0, '2026-01-01T00:00:00Z'],
  [123_456, '2026-01-01T00:00:00.123456Z'],
  [120_000, '2026-01-01T00:00:00.120Z'],
  [1, '2026-01-01T00:00:00.000001Z'],
  [100, '2026-01-01T00:00:00.000100Z'],
])('a time with %d microseconds is %s', (micros, printed) => {
  expect(instant(1_767_225_600_000_000 + micros)).toBe(printed)
})
