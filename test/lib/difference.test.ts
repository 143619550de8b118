import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type DifferenceRow, type Piece, printed, sideBySide } from '../../src/base/lib/difference.ts'

/** Lines of only a few different words, so that two texts often have words in common. */
const line = fc
  .array(fc.constantFrom('a', 'bc', ' ', '"', 'ü😀', '-'), { maxLength: 5 })
  .map((words) => words.join(''))
const text = fc.array(line, { minLength: 1, maxLength: 8 }).map((lines) => lines.join('\n'))

function textOf(rows: readonly DifferenceRow[], side: 'left' | 'right'): string {
  const lines = rows.flatMap((row) =>
    row[side] === undefined ? [] : [row[side].map((piece) => piece.text).join('')],
  )
  return lines.join('\n')
}

describe('Two texts side by side:', () => {
  test('each side is its text, whole', () => {
    fc.assert(
      fc.property(text, text, (left, right) => {
        const rows = sideBySide(left, right)
        expect(textOf(rows, 'left')).toBe(left)
        expect(textOf(rows, 'right')).toBe(right)
      }),
    )
  })

  test('something is marked exactly where they are not the same', () => {
    const isMarked = ({ left, right }: DifferenceRow) =>
      left === undefined || right === undefined || [...left, ...right].some(({ differs }) => differs)
    fc.assert(
      fc.property(text, text, (left, right) => {
        expect(sideBySide(left, right).some(isMarked)).toBe(left !== right)
      }),
    )
  })

  test('what is left without the marks is the same on both sides', () => {
    const unmarked = (pieces: readonly Piece[] = []) =>
      pieces
        .filter(({ differs }) => !differs)
        .map(({ text }) => text)
        .join('')
    fc.assert(
      fc.property(text, text, (left, right) => {
        for (const row of sideBySide(left, right)) {
          if (row.left !== undefined && row.right !== undefined)
            expect(unmarked(row.left)).toBe(unmarked(row.right))
        }
      }),
    )
  })

  test('texts of thousands of lines take no long alignment', () => {
    const lines = (offset: number) =>
      Array.from({ length: 5_000 }, (_, index) => String(index * 2 + offset)).join('\n')
    expect(sideBySide(lines(0), lines(1))).toHaveLength(5_000)
  })

  test('JSON that was cut is shown as it is', () => {
    expect(printed('{"a":"b')).toBe('{"a":"b')
  })
})
