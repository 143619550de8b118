import { describe, expect, test } from 'vitest'
import type { Case, Filing } from '../../src/core/scan/evidence-log.ts'
import type { LiveModel, ShownRoster } from '../../src/server/ui/model.ts'
import { headlineView } from '../../src/server/ui/views/headline.ts'
import { disagreement, member, model, textOf } from './samples.ts'

function headline(given: Partial<LiveModel> = {}): string {
  return textOf(headlineView(model(given))).trim()
}

function roster(given: Partial<ShownRoster>): Partial<LiveModel> {
  return { roster: { ...(model().roster as ShownRoster), ...given } }
}

const names = ['sv-1', 'sv-2', 'sv-3', 'sv-4']
const silent = names.map((name, index) => member(name, { reachable: index === 0 }))

function against(who: readonly string[], minutesAgo = 0, filing: Filing = 'dissent') {
  const at = new Date(model().machineMs - minutesAgo * 60_000).toISOString()
  return disagreement({ at, dissent: Object.fromEntries(who.map((name) => [name, filing])) })
}

const reaching = (reachable: (index: number) => boolean | undefined) =>
  roster({ members: names.map((name, index) => member(name, { reachable: reachable(index) })) })
const ofOneOperator = names.map((name) => member(name, { operator: 'one' }))
const noVote = { ...member('sv-1').hour.votes, agree: 0, dissent: 0 }
const withoutVotes = { ...member('sv-1').hour, votes: noVote, minutes: [noVote] }
const unreachable = (minutesAgo: number): Case => ({
  ...against([], minutesAgo),
  outcome: 'unreachable',
  agreed: null,
  statements: [],
})
const { machineMs } = model()
const halfAMinuteAgo = machineMs - 30_000
const mostSevere = 'More super validators than may lie'

describe('One line at the top says the whole state:', () => {
  test.each<[string, Partial<LiveModel>, string]>([
    ['all agree', {}, '✓ All 4 super validators agreed when last asked; nothing to do.'],
    [
      'who has a fault on a localnet, before a vote shows it',
      { nodes: [{ name: 'sv-1', faults: ['lie'] }] },
      'sv-1 has a fault, which no vote shows now.',
    ],
    [
      'nobody has voted yet',
      roster({ members: names.map((name) => member(name, { hour: withoutVotes })) }),
      '✓ All 4 super validators answer; nothing to do.',
    ],
    [
      'who contradicts the others, and since when',
      { disagreements: [against(['sv-2'], 1), against(['sv-2'], 40), against(['sv-3'], 200)] },
      '! sv-2 contradicts the others since 11:20 UTC ; they outvote it.',
    ],
    [
      'only who contradicts the others now',
      { disagreements: [against(['sv-4'], 1), against(['sv-4'], 3), against(['sv-2'], 20)] },
      '! sv-4 contradicts the others since 11:57 UTC ; they outvote it.',
    ],
    [
      'who contradicted them within the hour',
      { disagreements: [against(['sv-2'], 20), against(['sv-2'], 40)] },
      '– sv-2 contradicted the others from 11:20 UTC to 11:40 UTC ; they outvoted it. This line stays until 12:40 UTC .',
    ],
    ['nobody from before the last hour', { disagreements: [against(['sv-2'], 61)] }, 'nothing to do'],
    ['nobody whose difference ended', { disagreements: [against(['sv-2'], 1, 'lag')] }, 'nothing to do'],
    [
      'too few answer, whatever else there is',
      { ...roster({ members: silent }), disagreements: [against(['sv-2'], 1)] },
      '✕ Fewer than the threshold answered at the last check: 1 of 4, and 2 have to. Lookups that no cache answers fail.',
    ],
    [
      'too few operators answer',
      roster({ members: ofOneOperator, operators: { n: 2, f: 0, threshold: 2 } }),
      'Super validators of 1 operator answered at the last check, and 2 operators have to agree',
    ],
    [
      'one does not answer',
      reaching((index) => index !== 2),
      '! 3 of 4 super validators answer, which is enough; sv-3 does not.',
    ],
    [
      'two do not answer',
      reaching((index) => index < 2),
      '! 2 of 4 super validators answer, which is enough only if all of them agree; sv-3 and sv-4 do not.',
    ],
    [
      'one was not asked yet',
      reaching((index) => (index === 2 ? undefined : true)),
      '… 3 of 4 super validators answer; sv-3 was not asked yet.',
    ],
    ['one liar is enough', roster({ isProtected: false }), 'one liar can change an answer'],
    [
      'who contradicted more than two minutes ago',
      { disagreements: [against(['sv-2'], 2)] },
      'sv-2 contradicted the others at',
    ],
    [
      'more than f contradict the agreed answer',
      { disagreements: [against(['sv-2', 'sv-3'], 1, 'pending'), against(['sv-4'], 2)] },
      `✕ ${mostSevere} contradict each other since 11:59 UTC : nobody can tell who is right.`,
    ],
    [
      'more than f contradicted it, and the difference was gone',
      { disagreements: [against(['sv-1', 'sv-4'], 3, 'lag')] },
      `– ${mostSevere} contradicted each other at 11:57 UTC ; the difference was gone when they were asked again. This line stays until 12:57 UTC .`,
    ],
    [
      'more than f contradicted it a while ago',
      { disagreements: [against(['sv-1', 'sv-4'], 30)] },
      'at 11:30 UTC ; nobody can tell who was right. This line stays until 12:30 UTC .',
    ],
    [
      'some differences of more than f ended and others could not be checked',
      { disagreements: [{ ...against([], 3), dissent: { 'sv-1': 'lag', 'sv-4': 'unchecked' } }] },
      '– More super validators than may lie contradicted each other at 11:57 UTC ; nobody can tell who was right.',
    ],
    [
      'one of the rechecks of more than f is pending',
      { disagreements: [{ ...against([], 3), dissent: { 'sv-1': 'lag', 'sv-4': 'pending' } }] },
      'contradict each other since 11:57 UTC',
    ],
    [
      'the latest question has no agreed answer, and an earlier dissenter is not outvoted',
      { disagreements: [unreachable(0), against(['sv-2'], 1)] },
      '✕ The latest question, at 12:00 UTC , has no agreed answer: too few super validators said the same.',
    ],
    [
      'the latest question has an agreed answer',
      { disagreements: [against(['sv-2'], 0), unreachable(1)] },
      'sv-2 contradicts the others',
    ],
    [
      'the latest question without an answer is ten minutes old',
      { disagreements: [unreachable(10)] },
      'nothing to do',
    ],
    [
      'an answer was agreed since',
      { disagreements: [unreachable(1)], agreedAt: halfAMinuteAgo },
      'nothing to do',
    ],
    [
      'an answer was agreed before',
      { disagreements: [unreachable(0)], agreedAt: halfAMinuteAgo },
      'The latest question',
    ],
    ['no roster', { roster: undefined }, '✕ No roster of super validators is agreed yet: lookups fail.'],
  ])('%s', (_, given, says) => {
    expect(headline(given)).toContain(says)
  })

  test('a vote without an answer is blamed on many only if more than f would have to lie', () => {
    const vote = (...groups: readonly (readonly string[])[]) =>
      disagreement({
        at: new Date(machineMs - 60_000).toISOString(),
        outcome: 'unreachable',
        agreed: null,
        dissent: {},
        statements: groups.map((who, index) => ({ kind: 'value', digest: `${index}`, body: '{}', who })),
      })
    const says = (...groups: readonly (readonly string[])[]) =>
      headline({ disagreements: [vote(...groups)], agreedAt: machineMs })
    expect(says(['sv-1', 'sv-2'], ['sv-3', 'sv-4'])).toContain(mostSevere)
    expect(says(['sv-1'], ['sv-3'], ['sv-4'])).toContain(mostSevere)
    expect(says(['sv-3'], ['sv-1'])).not.toContain('contradict')
    expect(says(['sv-3'], ['sv-1', 'sv-2'])).not.toContain('contradict')
  })

  test('present trouble comes before past contradictions', () => {
    const past = against(['sv-1', 'sv-4'], 30, 'lag')
    const said = { kind: 'value', digest: 'true', body: '{}', who: ['sv-1', 'sv-3', 'sv-4'] } as const
    const outvoted = { ...against(['sv-2']), statements: [said] }
    expect(headline({ disagreements: [outvoted, past] })).toContain('sv-2 contradicts the others')
    const members = names.map((name, index) => member(name, { reachable: index !== 2 }))
    expect(headline({ ...roster({ members }), disagreements: [past] })).toContain('sv-3 does not')
  })
})
