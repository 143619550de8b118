import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
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
