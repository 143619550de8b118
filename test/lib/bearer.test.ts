import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bearerIn, longestToken } from '../../src/base/lib/bearer.ts'

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

  test.each([
    ['blanks within', (size: number) => `bearer${' '.repeat(size)}x`],
    ['many words', (size: number) => `bearer ${' x'.repeat(size / 2)}`],
    ['blanks before', (size: number) => `${' '.repeat(size)}bearer`],
    ['blanks after a token', (size: number) => `bearer x${' '.repeat(size)}x`],
    ['a long token', (size: number) => `bearer ${'a'.repeat(size)}`],
  ])('a header of 64 KiB of %s takes about as long as 64 of 1 KiB', (_, header) => {
    const [long, short] = [header(64 * 1024), header(1024)]
    const tries = Array.from({ length: 10 }, () => ({
      long: msOf(1, () => bearerIn(long)),
      short: msOf(64, () => bearerIn(short)),
    }))
    const shortest = (which: 'long' | 'short') => Math.min(...tries.map((each) => each[which]))
    // A parser that looks at all earlier blanks for each blank would take 64 times as long. The shortest of ten times is
    // compared, because another process may delay some of them. Times below a millisecond count as one.
    expect(shortest('long')).toBeLessThan(16 * Math.max(1, shortest('short')))
  })
})

function msOf(calls: number, call: () => unknown): number {
  const began = performance.now()
  for (let done = 0; done < calls; done++) call()
  return performance.now() - began
}
