import { expect, test } from 'vitest'
import { statementLines } from '../../src/cli/statement-lines.ts'

const lines = (agreed: unknown, said: unknown) => [
  ...statementLines(['sv-2'], JSON.stringify(said), JSON.stringify(agreed)),
]

test('a statement of another kind stands below the agreed one, and no line of one stands within the other', () => {
  const shown = lines({ error: 'none', status: 404 }, { entry: { name: 'a.cns', user: 'mallory', url: '' } })
  const signs = shown.slice(1).map((line) => line[0])
  expect(shown[0]).toBe('sv-2 said instead:')
  expect(signs.join('')).toMatch(/^-+\++$/)
})

test('a line that has another value stands below the agreed one', () => {
  expect(lines({ a: 1, b: 2, c: 3 }, { a: 9, b: 8, c: 3 })).toEqual([
    'sv-2 said instead:',
    '-   "a": 1,',
    '+   "a": 9,',
    '-   "b": 2,',
    '+   "b": 8,',
  ])
})
