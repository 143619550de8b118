import { expect, test } from 'vitest'
import { inputProblem } from '../../src/ui/lookup.ts'

const problemOf = (by: 'name' | 'party', text: string) =>
  inputProblem({ by, text, ask: 'all', strict: false })

test('a name with capital letters is refused with the name that was probably meant', () => {
  expect(problemOf('name', 'DSO.CNS')).toBe('Names have no capital letters: did you mean dso.cns?')
  expect(problemOf('name', 'dso.cns')).toBeUndefined()
  expect(problemOf('name', 'Hello World')).toContain('it has "H", a space, "W"')
})

test('a party without a fingerprint is refused with a sentence that says how a party looks', () => {
  for (const text of ['bob', 'bob::', '::', '::1220'])
    expect(problemOf('party', text), text).toMatch(/^A party is a name, two colons, 1220 and 64 hex digits\./)
  expect(problemOf('party', 'bob::1220ab')).toBeUndefined()
})
