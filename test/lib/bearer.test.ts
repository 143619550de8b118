import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bearerIn, longestToken } from '../../src/lib/bearer.ts'

const token = fc.string({ minLength: 1, unit: fc.constantFrom('a', 'Z', '0', '-', '_', '.', '=') })
const spaces = fc.string({ unit: fc.constant(' '), maxLength: 5 })

describe('The bearer token of an Authorization header:', () => {
  test('a token is found whatever spaces and capitals surround it', () => {
    const header = fc.record({ before: spaces, between: spaces, after: spaces, token })
    fc.assert(
      fc.property(
        header,
        fc.constantFrom('Bearer', 'bearer', 'BEARER'),
        ({ before, between, after, token }, scheme) => {
          expect(bearerIn(`${before}${scheme} ${between}${token}${after}`)).toEqual({ kind: 'token', token })
        },
      ),
    )
  })

  test.each([
    [undefined, 'none'],
    ['', 'none'],
    ['  ', 'none'],
    ['Basic YTpi', 'none'],
    ['Bearertoken', 'none'],
    ['Bear', 'none'],
    ['Bearer', 'empty'],
    [' bearer   ', 'empty'],
    [`Bearer ${'a'.repeat(longestToken)}`, 'token'],
    [`Bearer ${'a'.repeat(longestToken + 1)}`, 'too-long'],
  ])('%j has the kind %s', (header, kind) => {
    expect(bearerIn(header).kind).toBe(kind)
  })

  test('any header of 160 KiB is judged in less than a millisecond or two of a processor', () => {
    const size = 160 * 1024
    const hostile = [
      `bearer${' '.repeat(size)}x`,
      `bearer ${' x'.repeat(size / 2)}`,
      `${' '.repeat(size)}bearer`,
      `bearer x${' '.repeat(size)}x`,
      `bearer ${'a'.repeat(size)}`,
    ]
    for (const header of hostile) {
      const times = Array.from({ length: 5 }, () => {
        const began = performance.now()
        bearerIn(header)
        return performance.now() - began
      })
      expect(Math.min(...times)).toBeLessThan(20)
    }
  })
})
