import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { shortNames } from '../../src/cli/short-names.ts'
import { columns } from '../../src/cli/table.ts'
import { fitted, widthOf } from '../../src/cli/text-width.ts'

describe('a table', () => {
  test('has no line that is wider than the terminal, whatever is in it', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', 'é', '名', '🇨🇭', 'e\u0301', ' '), maxLength: 40 })
    const table = fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(table, fc.integer({ min: 1, max: 120 }), (given, width) => {
        for (const line of columns(given, width)) expect(widthOf(line)).toBeLessThanOrEqual(width)
      }),
    )
  })
})

describe('names that do not fit', () => {
  test('stay different, whatever they are', () => {
    const name = fc.string({ unit: fc.constantFrom('a', 'b', '.', '名'), minLength: 1, maxLength: 30 })
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 8 }), fc.integer({ min: 0, max: 20 }), (names, width) => {
        expect(new Set(shortNames(names, width)).size).toBe(names.length)
      }),
    )
  })
})

test.each([
  ['', 0],
  ['abc', 3],
  ['名前', 4],
  ['e\u0301', 1],
  ['😀', 2],
])('%j takes %d columns', (text, width) => {
  expect(widthOf(text)).toBe(width)
})

test.each([
  ['abcdef', 6, 'abcdef'],
  ['abcdef', 5, 'abcd…'],
  ['名前名前', 6, '名前…'],
  ['abc', 1, '…'],
  ['abc', 0, ''],
])('%j in %d columns is %j', (text, width, shown) => {
  expect(fitted(text, width)).toBe(shown)
})
