import { describe, expect, test } from 'vitest'
import type { LookupInput } from '../../src/ui/model.ts'
import { type TourState, toldOf } from '../../src/ui/tour.ts'
import { absenceHint } from '../../src/ui/views/lookup.ts'
import { examination, stand, textOf } from './samples.ts'

const input = (by: LookupInput['by'], text: string): LookupInput => ({ by, text, ask: 'all', strict: false })

describe('Where nobody has what was looked up, the page tells', () => {
  test('that a name is not complete, and leads to names that begin so', () => {
    const hint = absenceHint(input('name', 'asdf'))
    expect(textOf(hint)).toContain('This is no complete name. Look for names that begin so .')
    expect(hint.toString()).toContain('href="./?by=prefix&amp;q=asdf#answer"')
  })

  test('that the fingerprint of a party is too short', () => {
    expect(textOf(absenceHint(input('party', 'DSO::1220')))).toContain('This is no complete party')
    expect(absenceHint(input('party', `DSO::1220${'ab'.repeat(32)}`)).toString()).toBe('')
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

  const told = (
    reached: number,
    faults: Readonly<Record<string, string>>,
    given: Partial<TourState> = {},
  ) => {
    const superValidators = onLocalnet.nodes.map(({ name }) => name)
    const nodes = superValidators.map((name) => ({ name, faults: [faults[name] ?? []].flat() }))
    const state = { nodes, aheadMs: 0, finding, hasRecentDoubt: false, ...given }
    return toldOf({ superValidators, f: 1, acronym: 'cns' }, reached, state)
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
    [6, {}, 'All super validators are healthy. This was the tour.'],
  ])('says nothing after step %i if other faults are set now than it left: %o', (reached, faults, says) => {
    expect(told(reached, faults)).toBe(says)
  })

  test('says at its end what does not go away', () => {
    const end = 'All super validators are healthy. This was the tour.'
    expect(told(6, {}, { aheadMs: 60 * 24 * 3_600_000, hasRecentDoubt: true })).toBe(
      `${end} The daemon does not forget it: the clock stays ahead and for an hour every answer may be called in doubt. Start the daemon anew for a fresh localnet.`,
    )
  })

  test('claims no moved clock that was not moved', () => {
    expect(told(5, {})).toContain('is not 30 days ahead')
    expect(told(5, {}, { aheadMs: 30 * 24 * 3_600_000 - 5 })).toContain('was moved forward by 30 days')
    expect(told(5, {}, { aheadMs: 30 * 24 * 3_600_000 })).toContain('again to see it renewed.')
    expect(told(5, {}, { aheadMs: 60 * 24 * 3_600_000 })).not.toContain('renewed')
  })

  test('explains the warning that stands below a true answer', () => {
    const { answer } = finding.examination
    const stands = [stand('sv-1'), stand('sv-2', { stance: 'dissented' }), stand('sv-3'), stand('sv-4')]
    const absence = examination({}, { stands, answer: { ...answer, kind: 'absence' } as never })
    const look = (hasRecentDoubt: boolean) =>
      told(2, { 'sv-2': 'lie' }, { finding: { ...finding, examination: absence }, hasRecentDoubt })
    expect(look(false)).toMatch(/you got the true answer\.$/)
    expect(look(true)).toContain('you got the true answer. The page cannot know that: it warns for an hour')
  })
})
