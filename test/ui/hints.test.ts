import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { LookupInput } from '../../src/ui/model.ts'
import { type TourState, toldOf } from '../../src/ui/tour.ts'
import { absenceHint } from '../../src/ui/views/lookup.ts'
import { examination, stand, textOf } from './samples.ts'

const input = (by: LookupInput['by'], text: string): LookupInput => ({ by, text, ask: 'all', strict: false })
const known = (acronym: string | undefined) => ({ acronym, superValidators: ['sv-1', 'Digital-Asset-2'] })

describe('Where nobody has what was looked up, the page tells', () => {
  test('what a complete name looks like, and leads to names that begin so', () => {
    const hint = absenceHint(input('name', 'asdf'), known('ans'))
    expect(textOf(hint)).toContain('no complete name: names look like asdf.unverified.ans .')
    expect(hint.toString()).toContain('href="./?by=name&amp;q=asdf.unverified.ans#answer"')
    expect(hint.toString()).toContain('href="./?by=prefix&amp;q=asdf#answer"')
  })

  test('no ending that names may not have here, while the acronym of the name service is unknown', () => {
    expect(textOf(absenceHint(input('name', 'asdf'), known(undefined)))).toContain(
      'This is no complete name. Look',
    )
  })

  test('the name of a super validator, where its bare name was typed', () => {
    const hint = absenceHint(input('name', 'digital-asset-2'), known('cns'))
    expect(textOf(hint)).toContain('this super validator is digital-asset-2.sv.cns .')
    expect(hint.toString()).not.toContain('unverified')
  })

  test('the name of the DSO, where only dso was typed', () => {
    const hint = absenceHint(input('name', 'dso'), known('cns'))
    expect(textOf(hint)).toContain("the network's own name is dso.cns .")
    expect(hint.toString()).not.toContain('unverified')
  })

  test('no name that is longer than names may be', () => {
    const lengths = fc.integer({ min: 46, max: 2_000 })
    fc.assert(
      fc.property(lengths, (length) => {
        const hint = absenceHint(input('name', 'a'.repeat(length)), known('cns'))
        expect(hint.toString()).not.toContain('by=name')
        expect(textOf(hint)).toContain('The name has more than 45 characters before .unverified.cns. Look')
      }),
    )
    expect(absenceHint(input('name', 'a'.repeat(45)), known('cns')).toString()).toContain('by=name')
  })

  test('that the fingerprint of a party is too short', () => {
    expect(textOf(absenceHint(input('party', 'DSO::1220'), known('cns')))).toContain(
      'This is no complete party',
    )
    expect(absenceHint(input('party', `DSO::1220${'ab'.repeat(32)}`), known('cns')).toString()).toBe('')
  })

  test('nothing more of a complete name', () => {
    expect(absenceHint(input('name', 'asdf.unverified.cns'), known('cns')).toString()).toBe('')
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

  test('says at its second step that the first one was left out', () => {
    const absence = examination({}, { answer: { ...finding.examination.answer, kind: 'absence' } as never })
    expect(told(2, {}, { finding: { ...finding, examination: absence } })).toBe(
      'Nobody lies yet: do step 1 first.',
    )
  })

  test.each([
    [1, {}, 'no longer as this step left them: all of them are healthy.'],
    [1, { 'sv-3': 'lie' }, 'no longer as this step left them: sv-3 has the fault lie.'],
    [1, { 'sv-2': 'lie' }, 'sv-2 lies from now on.'],
    [3, { 'sv-2': 'lie' }, 'no longer as this step left them: sv-2 has the fault lie.'],
    [
      4,
      { 'sv-3': 'hang', 'sv-4': 'hang' },
      'left them: sv-3 has the fault hang and sv-4 has the fault hang.',
    ],
    [5, { 'sv-2': 'lie' }, 'no longer as this step left them: sv-2 has the fault lie.'],
    [6, { 'sv-3': 'hang' }, 'no longer as this step left them: sv-3 has the fault hang.'],
    [6, {}, 'All super validators are healthy. This was the tour.'],
  ])('says after step %i only what is true of the faults that are set now: %o', (reached, faults, says) => {
    expect(told(reached, faults)).toContain(says)
  })

  test('says at its end what does not go away', () => {
    const end = 'All super validators are healthy. This was the tour.'
    expect(told(6, {})).toBe(end)
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
