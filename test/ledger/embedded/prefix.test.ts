import fc from 'fast-check'
import { expect, test } from 'vitest'
import { afterPrefix } from '../../../src/ledger/embedded/tables.ts'

const point = fc.constantFrom('a', 'b', '\u0000', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{10ffff}')
const text = fc.oneof(fc.string({ unit: point, maxLength: 4 }), fc.string({ unit: 'binary', maxLength: 4 }))

test('a text has a prefix if it is not before the prefix, and is before the first text after it', () => {
  fc.assert(
    fc.property(text, text, (prefix, other) => {
      const end = afterPrefix(prefix)
      const isBefore = end === undefined || compare(other, end) < 0
      expect(compare(prefix, other) <= 0 && isBefore).toBe(other.startsWith(prefix))
    }),
    { numRuns: 2_000 },
  )
})

test('after a prefix of last code points comes nothing', () => {
  expect(afterPrefix('')).toBeUndefined()
  expect(afterPrefix('\u{10ffff}\u{10ffff}')).toBeUndefined()
  expect(afterPrefix('a\u{10ffff}')).toBe('b')
})

/** Compares two texts as SQLite's collation BINARY does. */
function compare(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}
