import { expect, test } from 'vitest'
import { bytes, type Size, tryBytes } from '../../src/base/lib/bytes.ts'

test.each([
  ['0B', 0],
  ['512B', 512],
  ['64KiB', 65_536],
  ['1.5KiB', 1_536],
  ['32MiB', 33_554_432],
  ['2GiB', 2_147_483_648],
  ['0.1KiB', 102],
])('%s is %i bytes', (text, count) => {
  expect(tryBytes(text)).toBe(count)
  expect(bytes(text as Size)).toBe(count)
})

test.each([...'64 KiB -1B 1e3B 64kib 64KB 1.B .5B 0x1B InfinityB'.split(' '), '', '64 KiB', '64KiB '])(
  '%j is no size',
  (text) => {
    expect(tryBytes(text)).toBeUndefined()
    expect(() => bytes(text as Size)).toThrow(TypeError)
  },
)
