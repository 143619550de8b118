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

  test.each([
    ['blanks within', (size: number) => `bearer${' '.repeat(size)}x`],
    ['many words', (size: number) => `bearer ${' x'.repeat(size / 2)}`],
    ['blanks before', (size: number) => `${' '.repeat(size)}bearer`],
    ['blanks after a token', (size: number) => `bearer x${' '.repeat(size)}x`],
    ['a long token', (size: number) => `bearer ${'a'.repeat(size)}`],
  ])('a header of 160 KiB of %s takes no more time a byte than one of 16 KiB', (_, header) => {
    const [short, long] = [16 * 1024, 160 * 1024].map((size) => {
      const text = header(size)
      return shortestOf(25, () => bearerIn(text))
    })
    // A parser that looks at all earlier blanks for each blank would take a hundred times as long for the long header
    // as for the short one. Times below a millisecond count as one millisecond, because they vary much.
    expect(long).toBeLessThan(40 * Math.max(1, Number(short)))
  })
})

/** Returns the CPU time of the fastest try, in milliseconds. Each try makes a hundred calls. */
function shortestOf(tries: number, call: () => unknown): number {
  const times = Array.from({ length: tries }, () => {
    const began = process.threadCpuUsage()
    for (let calls = 0; calls < 100; calls++) call()
    return process.threadCpuUsage(began).user / 1000
  })
  return Math.min(...times)
}
