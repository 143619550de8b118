import { describe, expect, test } from 'vitest'
import type { LookupInput } from '../../src/ui/model.ts'
import { toldOf } from '../../src/ui/tour.ts'
import { absenceHint } from '../../src/ui/views/lookup.ts'
import { examination, textOf } from './samples.ts'

const input = (by: LookupInput['by'], text: string): LookupInput => ({ by, text, ask: 'all', strict: false })

describe('Where nobody has what was looked up, the page tells', () => {
  test('that a name is not complete, and leads to names that begin so', () => {
    const hint = absenceHint(input('name', 'asdf'))
    expect(textOf(hint)).toContain('This is no complete name. Look for names that begin so .')
    expect(hint.toString()).toContain('href="./?by=prefix&amp;q=asdf#answer"')
  })

  test('nothing more of a complete name', () => {
    expect(absenceHint(input('name', 'asdf.unverified.cns')).toString()).toBe('')
  })
})

describe('The tour', () => {
  const onLocalnet = {
    nodes: ['sv-1', 'sv-2', 'sv-3', 'sv-4'].map((name) => ({ name, faults: [] })),
    registration: { acronym: 'cns' },
    faultKinds: [],
    tourStepsDone: 0,
  }
  const finding = {
    kind: 'examined',
    askedAt: 0,
    examination: examination({}),
    course: [],
    history: [],
  } as const

  const told = (reached: number, faults: Readonly<Record<string, string>>) => {
    const superValidators = onLocalnet.nodes.map(({ name }) => name)
    const nodes = superValidators.map((name) => ({ name, faults: [faults[name] ?? []].flat() }))
    return toldOf({ superValidators, f: 1, acronym: 'cns' }, reached, { nodes, finding })
  }

  test.each([
    [1, {}, undefined],
    [1, { 'sv-3': 'lie' }, undefined],
    [1, { 'sv-2': 'lie' }, 'sv-2 lies from now on.'],
    [2, {}, undefined],
    [3, { 'sv-2': 'lie' }, undefined],
    [4, { 'sv-3': 'hang', 'sv-4': 'hang' }, undefined],
    [5, { 'sv-2': 'lie' }, undefined],
    [6, { 'sv-3': 'hang' }, undefined],
    [6, {}, expect.stringContaining('This was the tour.')],
  ])('says nothing after step %i if other faults are set now than it left: %o', (reached, faults, says) => {
    expect(told(reached, faults)).toEqual(says)
  })
})
