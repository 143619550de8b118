import { describe, expect, test } from 'vitest'
import { caseId, findCase, reportable, reportFor, storiesOf } from '../../src/server/ui/stories.ts'
import { caseView, storyRows } from '../../src/server/ui/views/stories.ts'
import { disagreement, textOf } from './samples.ts'

const at = (second: number) => `2026-01-01T12:00:${String(second).padStart(2, '0')}.000Z`

describe('Disagreements are grouped', () => {
  test('by who contradicted the others and by what they were asked', () => {
    const cases = [
      disagreement({ at: at(3), read: 'getDsoInfo' }),
      disagreement({ at: at(2) }),
      disagreement({ at: at(1), dissent: { 'sv-10': 'lag' } }),
      disagreement({ at: at(0) }),
    ]
    expect(
      storiesOf(cases, 1).map(({ kind, who, count, chapters }) => [
        kind,
        who,
        count,
        chapters.map(({ read, count }) => [read, count]),
      ]),
    ).toEqual([
      [
        'dissenter',
        ['sv-3'],
        3,
        [
          ['getDsoInfo', 1],
          ['lookupAnsEntryByName', 2],
        ],
      ],
      ['dissenter', ['sv-10'], 1, [['lookupAnsEntryByName', 1]]],
    ])
  })

  test('under each of several dissenters, as long as they are at most f', () => {
    const kept = disagreement({ dissent: { 'sv-3': 'dissent', 'sv-10': 'dissent' } })
    expect(storiesOf([kept], 2).map(({ who }) => who)).toEqual([['sv-10'], ['sv-3']])
    expect(storiesOf([kept], 1)).toMatchObject([{ kind: 'doubtful', who: ['sv-10', 'sv-3'] }])
  })

  test('and those where nothing was agreed are nobody’s fault', () => {
    const kept = disagreement({ outcome: 'disputed', agreed: null, dissent: {} })
    expect(storiesOf([kept], 1)).toMatchObject([{ kind: 'disputed', who: [] }])
    expect(storyRows([kept], 1)[0]?.html).toContain('Nobody had the threshold')
  })

  test('silence alone is no disagreement', () => {
    const silent = { outcome: 'unreachable', agreed: null, dissent: {}, statements: [] } as const
    const [one] = disagreement().statements
    expect(
      storiesOf([disagreement(silent), disagreement({ ...silent, statements: one ? [one] : [] })], 1),
    ).toEqual([])
    expect(storyRows([disagreement(silent)], 1)).toEqual([])
  })

  test('a group keeps its id when it grows, and its heading leads to its latest disagreement', () => {
    const [older, newer] = [disagreement({ at: at(1) }), disagreement({ at: at(2) })]
    const ids = (cases: Parameters<typeof storyRows>[0]) => storyRows(cases, 1).map(({ id }) => id)
    expect(ids([newer, older])).toEqual(ids([older]))
    const chapter = storyRows([newer, older], 1)[1]?.html ?? ''
    expect(chapter).toContain(`data-body="ui/cases/${caseId(newer)}"`)
    expect(textOf(chapter as never)).toContain('lookupAnsEntryByName 2 times')
    expect(chapter).not.toContain('mallory')
    expect(findCase([newer, older], caseId(older))).toBe(older)
  })
})

describe('The story of a lie', () => {
  test('has its first and last time, and a report for its operator', () => {
    const filings = ['pending', 'lag', 'dissent', 'split', 'unchecked'] as const
    const cases = filings.map((filing, second) =>
      disagreement({ at: at(9 - second), dissent: { 'sv-3': filing } }),
    )
    const head = storyRows(cases, 1)[0]?.html ?? ''
    expect(textOf(head as never)).toContain(
      'sv-3 contradicted the others 5 times, 2026-01-01 12:00:05 UTC to 2026-01-01 12:00:09 UTC',
    )
    expect(head).toContain('href="ui/reports/sv-3"')
  })

  test('neutral where more than f contradict, because some of them are honest', () => {
    const kept = disagreement({ dissent: { 'sv-3': 'dissent', 'sv-10': 'dissent' } })
    const head = storyRows([kept], 1)[0]?.html ?? ''
    expect(textOf(head as never)).toContain('More than f = 1 contradicted an answer')
    expect(head).not.toContain('ui/reports/')
  })

  test('of one moment has one time, and says what was asked where the evidence has it', () => {
    const kept = disagreement({ question: { name: 'alice.unverified.cns' } })
    const [head, row] = storyRows([kept], 1).map(({ html }) => html)
    expect(head?.match(/<time/g)).toHaveLength(1)
    expect(textOf((row ?? '') as never)).toContain('lookupAnsEntryByName alice.unverified.cns')
  })

  test('blames nobody where the difference ended within a minute', () => {
    const kept = disagreement({ dissent: { 'sv-3': 'lag' } })
    const head = storyRows([kept], 1)[0]?.html ?? ''
    expect(head).not.toContain('ui/reports/')
    expect(textOf(caseView(kept, 1))).toContain(
      'sv-3 the difference was gone a minute later, which shows no lie: filed as lag',
    )
    expect(reportable([kept], 'sv-3', 1)).toEqual([])
    expect(reportable([disagreement()], 'sv-3', 1)).toHaveLength(1)
  })

  test('blames nobody and says so where more than f contradicted and the difference was gone later', () => {
    const view = textOf(caseView(disagreement({ dissent: { 'sv-3': 'lag', 'sv-10': 'lag' } }), 1))
    expect(view).toContain(
      'sv-3 nobody can tell who was right; the difference was gone when they were asked again',
    )
    expect(view).not.toContain('which shows no lie')
  })

  test('carries the same doubt where more than f contradicted another answer within the hour', () => {
    const beyond = disagreement({ at: at(9), dissent: { 'sv-3': 'dissent', 'sv-10': 'dissent' } })
    const honest = disagreement({ at: at(1), read: 'getDsoInfo', dissent: { 'sv-3': 'dissent' } })
    const head =
      storyRows([beyond, honest], 1).find(({ html }) => html.includes('>sv-3</bdi> contradicted the others'))
        ?.html ?? ''
    expect(textOf(head as never)).toContain('so this does not show who was right')
    expect(head).not.toContain('ui/reports/')
    expect(reportable([beyond, honest], 'sv-3', 1)).toEqual([])
    expect(textOf(caseView(honest, 1, [Date.parse(at(9))]))).toContain('Agreed, but in doubt: more than f')
    expect(reportable([honest], 'sv-3', 1)).toHaveLength(1)
  })

  test('still blames a super validator that 2f + 1 others contradict', () => {
    const beyond = disagreement({ at: at(9), dissent: { 'sv-3': 'dissent', 'sv-10': 'dissent' } })
    const [, agreed] = disagreement().statements
    const statements = [{ ...(agreed as NonNullable<typeof agreed>), who: ['sv-1', 'sv-2', 'sv-10'] }]
    const alone = disagreement({ at: at(1), statements })
    expect(reportable([beyond, alone], 'sv-3', 1)).toEqual([alone])
  })

  test('does not say who was right where two groups had the threshold', () => {
    const head = storyRows([disagreement({ dissent: {} })], 1)[0]?.html ?? ''
    expect(textOf(head as never)).toContain('Two groups had the threshold')
    expect(textOf(head as never)).toContain('This does not show who was right.')
    expect(textOf(head as never)).not.toContain('Nobody had')
    const beyond = disagreement({ dissent: { 'sv-3': 'dissent', 'sv-10': 'dissent' } })
    expect(storyRows([beyond], 1)[0]?.html).toContain('This does not show who was right.')
    expect(reportable([beyond], 'sv-3', 1)).toEqual([])
  })

  test('is a report for its operator with both answers, how it was filed, and the network', () => {
    const report = reportFor('sv-3', [disagreement({ dissent: { 'sv-3': 'dissent' } })], {
      dso: 'DSO::1220',
    })
    expect(report).toContain('# sv-3 contradicted other super validators once')
    expect(report).toContain(
      'At 2026-01-01T12:00:00.000Z sv-3 was asked lookupAnsEntryByName, and said something else than 2 others.\n- sv-3 said:   "user": "mallory::1"\n  others said: "user": "alice::1"',
    )
    expect(report).toContain('network (DSO): DSO::1220')
    expect(report).toContain('state: said so again: filed as dissent')
    expect(report).toContain('sv-3 said (SHA-256 false):\n{"user":"mallory::1"}')
    expect(report).toContain('sv-1, sv-2 said, as was agreed (SHA-256 true):\n{"user":"alice::1"}')
  })

  test('shows only the lines that differ, also of answers that are longer than what a report quotes', () => {
    const names = Array.from({ length: 1_000 }, (_, index) => `name-${index}`)
    const body = (last: string) => JSON.stringify([...names, last])
    const statements = [
      { kind: 'value', digest: 'true', body: body('alice'), who: ['sv-1', 'sv-2'] },
      { kind: 'value', digest: 'false', body: body('mallory'), who: ['sv-3'] },
    ] as const
    const report = reportFor('sv-3', [disagreement({ statements, dissent: { 'sv-3': 'dissent' } })], {
      dso: 'DSO::1220',
    })
    expect(report).toContain(
      'said something else than 2 others.\n- sv-3 said:   "mallory"\n  others said: "alice"\nquestion',
    )
    expect(report).toContain(`sv-3 said (SHA-256 false):\n${body('mallory').slice(0, 4_000)}\n`)
  })
})

test('a difference of more than f liars that ended within an hour cannot be checked, and clears none of them', () => {
  const liar = disagreement({ at: at(1), dissent: { 'sv-3': 'lag' }, partVotes: 3 })
  const told = (other: string) => {
    const incident = disagreement({ at: other, dissent: { 'sv-1': 'lag', 'sv-2': 'lag' } })
    const cases = [incident, liar].toSorted((a, b) => (a.at < b.at ? 1 : -1))
    const rows = storyRows(cases, 1).filter(({ html }) => html.includes('sv-3</bdi> contradicted'))
    return { row: rows[0]?.html ?? '', body: textOf(caseView(liar, 1, [Date.parse(other)])) }
  }
  const near = told('2026-01-01T12:30:00.000Z')
  expect(near.body).toContain('sv-3 could not be checked: more than f contradict')
  expect(near.row).not.toContain('ui/reports/')
  const far = told('2026-01-01T14:30:00.000Z')
  expect(far.body).toContain('which shows no lie')
})
