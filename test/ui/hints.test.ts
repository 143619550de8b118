import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { LookupInput, ShownRoster } from '../../src/ui/model.ts'
import { type TourState, toldOf } from '../../src/ui/tour.ts'
import { nodeRows } from '../../src/ui/views/localnet.ts'
import { absenceHint, findingView } from '../../src/ui/views/lookup.ts'
import { pageView } from '../../src/ui/views/page.ts'
import { disagreement, examination, model, stand, textOf } from './samples.ts'

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

  test('the hint before anything else on the card', () => {
    const answer = {
      ...examination({}).answer,
      kind: 'absence',
      body: Buffer.from('{"error":"none"}'),
    } as never
    const finding = { kind: 'examined', askedAt: 0, examination: examination({}, { answer }) } as const
    for (const [by, text] of [
      ['name', 'asdf'],
      ['party', 'DSO::1220'],
    ] as const)
      expect(textOf(findingView(input(by, text), { ...finding, course: [], history: [] }))).toMatch(
        /Agreed: there is none .*This is no complete .* 4 of 4 super validators gave this answer/,
      )
  })

  test('nothing more of a complete name', () => {
    expect(absenceHint(input('name', 'asdf.unverified.cns'), known('cns')).toString()).toBe('')
  })
})

describe('The form for faults', () => {
  const sorted = (texts: readonly string[]) =>
    texts.toSorted(new Intl.Collator('en', { numeric: true }).compare)
  const names = ['sv-10', 'sv-2', 'sv-1']

  test('lists super validators as the table above does, and faults by their names', () => {
    const kinds = ['lie', 'hang', 'deny'].map((kind) => ({ kind, sentence: `does ${kind}` }))
    const nodes = names.map((name) => ({ name, faults: [] }))
    const page = pageView(model({ nodes, faultKinds: kinds, roster: undefined })).toString()
    const shown = [...page.matchAll(/<li id="node-\d+">\s*<strong>([^<]*)/g)].map(([, name]) => name)
    expect(shown).toEqual(['sv-1', 'sv-2', 'sv-10'])
    const options = [...page.matchAll(/<option[^>]*>([\w-]+)/g)].map(([, text = '']) => text)
    expect(options).toEqual([...sorted(names), ...sorted(['lie', 'hang', 'deny'])])
  })

  test('offers to heal all while some are faulty', () => {
    const nodes = (faults: readonly string[]) => names.map((name) => ({ name, faults }))
    const row = (faults: readonly string[]) =>
      nodeRows(nodes(faults)).find(({ id }) => id === 'node-all')?.html
    expect(row([])).toBeUndefined()
    expect(row(['lie'])).toContain('3 are faulty')
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

  test('is found again from an ordinary answer', () => {
    const page = pageView(model({ ...onLocalnet, finding })).toString()
    expect(page).toContain('<a href="./#tour">A tour in six steps</a>')
    expect(pageView(model({ finding })).toString()).not.toContain('./#tour')
  })

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

  test('has the button of its next step beside the sentence to which the page scrolls', () => {
    const shown = (tourStepsDone: number, faults: readonly string[]) => {
      const nodes = onLocalnet.nodes.map((node) => (node.name === 'sv-2' ? { ...node, faults } : node))
      const page = pageView(model({ ...onLocalnet, nodes, tourStepsDone })).toString()
      return /<div id="told".*?<\/div><\/div>|<div id="told".*?<\/div>/s.exec(page)?.[0] ?? ''
    }
    expect(shown(1, ['lie'])).toContain('&amp;tour=2#told">Look up</a>')
    expect(shown(6, [])).not.toContain('Step 7')
  })

  test('is followed by a page that breaks no formula across lines', () => {
    const page = pageView(model(onLocalnet)).toString()
    const tour = /<section id="tour".*?<\/section>/s.exec(page)?.[0] ?? ''
    expect(tour).toContain('2f\u00a0+\u00a01')
    const electorate = { superValidators: { n: 4, f: 1, threshold: 1 } }
    const stands = [stand('a'), stand('b', { stance: 'dissented' }), stand('c', { stance: 'dissented' })]
    const doubtful = { stands, electorate, protected: false }
    const dissent = { 'sv-3': 'dissent', 'sv-10': 'dissent' } as const
    const answered = pageView(
      model({
        ...onLocalnet,
        finding: { ...finding, examination: examination({}, doubtful) },
        shownCase: disagreement({ dissent }),
        disagreements: [disagreement({ dissent })],
        roster: { ...(model().roster as ShownRoster), isProtected: false },
      }),
    ).toString()
    for (const shown of [page, answered]) expect(shown).not.toMatch(/f(?:<[^>]*>)* [+=]|[+=] \d/)
  })
})
