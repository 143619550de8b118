import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Case, Filing } from '../../src/scan/evidence-log.ts'
import type { LiveModel, ShownRoster } from '../../src/ui/model.ts'
import { headlineView } from '../../src/ui/views/headline.ts'
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

describe('One line at the top says the whole state:', () => {
  test.each<[string, Partial<LiveModel>, string]>([
    ['all agree', {}, '✓ All 4 super validators agree; nothing to do.'],
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
    ['no roster', { roster: undefined }, '✕ No roster of super validators is agreed yet: lookups fail.'],
  ])('%s', (_, given, says) => {
    expect(headline(given)).toContain(says)
  })

  test('since when all of them agree, if that is known', () => {
    const clear = { ...member('sv-1').hour.votes, dissent: 0 }
    const idle = { ...clear, agree: 0 }
    const agreeing = (minutes: (typeof clear)[]) =>
      roster({
        members: names.map((name) => member(name, { hour: { ...member(name).hour, votes: clear, minutes } })),
      })
    expect(headline(agreeing([idle, clear, idle, clear, clear]))).toBe(
      '✓ All 4 super validators agree since 11:57 UTC ; nothing to do.',
    )
    expect(headline(agreeing([clear, { ...clear, dissent: 1 }, idle, clear]))).toContain('since 12:00 UTC')
    expect(headline(agreeing(Array(60).fill(clear)))).toBe(
      '✓ All 4 super validators agree since 11:01 UTC or earlier; nothing to do.',
    )
  })

  test('a super validator that has not contradicted for two minutes did so in the past, although nobody was asked since', () => {
    expect(headline({ disagreements: [against(['sv-2'], 1)] })).toContain('sv-2 contradicts the others')
    expect(headline({ disagreements: [against(['sv-2'], 2)] })).toContain('sv-2 contradicted the others at')
  })

  test('it is unclear who is right while more than f contradict the agreed answer', () => {
    const says = headline({ disagreements: [against(['sv-2', 'sv-3'], 1, 'pending'), against(['sv-4'], 2)] })
    expect(says).toContain('More super validators than may lie contradict each other since 11:59 UTC')
    expect(says).not.toContain('sv-')
  })

  test('a vote without an answer is blamed on many only if more than f would have to lie', () => {
    const vote = (...groups: readonly (readonly string[])[]) =>
      disagreement({
        at: new Date(model().machineMs - 60_000).toISOString(),
        outcome: 'unreachable',
        agreed: null,
        dissent: {},
        statements: groups.map((who, index) => ({ kind: 'value', digest: `${index}`, body: '{}', who })),
      })
    const agreedAt = model().machineMs
    const says = (...groups: readonly (readonly string[])[]) =>
      headline({ disagreements: [vote(...groups)], agreedAt })
    expect(says(['sv-1', 'sv-2'], ['sv-3', 'sv-4'])).toContain(
      'More super validators than may lie contradict',
    )
    expect(says(['sv-1'], ['sv-3'], ['sv-4'])).toContain('More super validators than may lie contradict')
    expect(says(['sv-3'], ['sv-1'])).not.toContain('contradict')
    expect(says(['sv-3'], ['sv-1', 'sv-2'])).not.toContain('contradict')
  })

  test('a contradiction is past as soon as all agree again', () => {
    const clear = { ...member('sv-1').hour.votes, dissent: 0 }
    const hour = {
      ...member('sv-1').hour,
      minutes: [{ ...clear, dissent: 1 }, clear, { ...clear, agree: 0 }],
    }
    const healed = {
      ...roster({ members: names.map((name) => member(name, { hour })) }),
      disagreements: [against(['sv-1', 'sv-4'], 3, 'lag')],
    }
    expect(headline(healed)).toBe(
      '– More super validators than may lie contradicted each other at 11:57 UTC ; they agree again since 11:59 UTC . This line stays until 12:57 UTC .',
    )
    expect(headlineView(model(healed)).toString()).not.toMatch(/bad|poor|dissented|voted/)
    expect(headline({ disagreements: [against(['sv-1', 'sv-4'], 3, 'lag')] })).toContain(
      'at 11:57 UTC ; the difference was gone when they were asked again.',
    )
    expect(headline({ disagreements: [against(['sv-1', 'sv-4'], 30)] })).toContain(
      'at 11:30 UTC ; nobody can tell who was right.',
    )
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

const { machineMs } = model()
const agreeing = { ...member('sv-1').hour.votes, dissent: 0 }
const quiet = { ...(model().traffic[0] as LiveModel['traffic'][number]) }

/** An hour in which all super validators agreed, except in the minutes with these troubles. */
function afterTrouble(given: {
  readonly silent?: readonly number[]
  readonly failed?: readonly number[]
  readonly disagreements?: readonly Case[]
}): Partial<LiveModel> {
  const { silent = [], failed = [], disagreements = [] } = given
  const minutes = Array.from({ length: 60 }, (_, index) => ({
    ...agreeing,
    fault: silent.includes(59 - index) ? 1 : 0,
  }))
  const hour = { ...member('sv-1').hour, votes: agreeing, minutes }
  return {
    agreedAt: model().machineMs,
    ...roster({
      members: names.map((name, index) =>
        member(
          name,
          index === 1
            ? { hour }
            : { hour: { ...hour, minutes: minutes.map((each) => ({ ...each, fault: 0 })) } },
        ),
      ),
    }),
    traffic: Array.from({ length: 60 }, (_, index) => ({
      ...quiet,
      failed: failed.includes(59 - index) ? 1 : 0,
    })),
    disagreements,
  }
}

function unreachable(minutesAgo: number): Case {
  return { ...against([], minutesAgo), outcome: 'unreachable', agreed: null, statements: [], dissent: {} }
}

describe('After trouble the line at the top', () => {
  test('counts the last hour, and says no agreement that is older than its end', () => {
    const disagreements = [unreachable(5), unreachable(6), against(['sv-2'], 20, 'lag')]
    expect(headline(afterTrouble({ disagreements }))).toBe(
      '✓ All 4 super validators agree since 11:55 UTC ; nothing to do. In the last hour: 1 difference that ended and 2 questions without agreement.',
    )
    expect(headline(afterTrouble({ failed: [3] }))).toBe(
      '✓ All 4 super validators agree since 11:58 UTC ; nothing to do. In the last hour: 1 failed read of callers.',
    )
    expect(headline(afterTrouble({ silent: [7] }))).toBe(
      '✓ All 4 super validators agree since 11:54 UTC ; nothing to do.',
    )
    expect(headline(afterTrouble({ disagreements: [against(['sv-2'], 30, 'unchecked')] }))).toContain(
      'since 11:30 UTC ; nothing to do. In the last hour: 1 contradiction.',
    )
    expect(headline(afterTrouble({ disagreements: [unreachable(61)] }))).not.toContain('In the last hour')
  })

  test('says that the latest question has no agreed answer, and not that an earlier dissenter is outvoted', () => {
    const disagreements = [unreachable(0), against(['sv-2'], 1, 'dissent')]
    expect(headline({ disagreements })).toBe(
      '✕ The latest question, at 12:00 UTC , has no agreed answer: too few super validators said the same.',
    )
    expect(headline({ disagreements: [against(['sv-2'], 0, 'dissent'), unreachable(1)] })).toContain(
      'sv-2 contradicts the others',
    )
    expect(headline({ disagreements: [unreachable(10)] })).not.toContain('The latest question')
    const agreedAt = model().machineMs - 30_000
    expect(headline({ disagreements: [unreachable(1)], agreedAt })).not.toContain('The latest question')
    expect(headline({ disagreements: [unreachable(0)], agreedAt })).toContain('The latest question')
  })

  test('claims no agreement from before the last contradiction, silence or failed look-up, whatever they were', () => {
    const minute = fc.integer({ min: 0, max: 59 })
    const some = fc.array(minute, { maxLength: 4 })
    fc.assert(
      fc.property(some, some, some, (silent, failed, contradicted) => {
        const disagreements = contradicted
          .toSorted((a, b) => a - b)
          .map((ago) => against(['sv-2'], ago, 'lag'))
        const says = headline(afterTrouble({ silent, failed, disagreements }))
        const [, hours, minutes] = /since (\d\d):(\d\d) UTC/.exec(says) ?? []
        if (hours === undefined) return
        const since = Date.parse(`2026-01-01T${hours}:${minutes}:00Z`)
        for (const ago of [...silent, ...failed]) expect(since).toBeGreaterThan(machineMs - ago * 60_000)
        for (const ago of contradicted) expect(since).toBeGreaterThanOrEqual(machineMs - ago * 60_000)
      }),
    )
  })

  test.each([
    ['some differences ended and others could not be checked', { 'sv-1': 'lag', 'sv-4': 'unchecked' }],
    ['they said so again', { 'sv-1': 'split', 'sv-4': 'split' }],
  ] as const)('tells a doubt as past once its rechecks ended: %s', (_, dissent) => {
    const disagreements = [{ ...against([], 3), dissent }]
    const says = headline({ disagreements })
    expect(says).toContain('contradicted each other at 11:57 UTC ; nobody can tell who was right.')
    expect(says).toContain('This line stays until 12:57 UTC')
    expect(headlineView(model({ disagreements })).toString()).not.toMatch(/bad|dissented/)
  })

  test('tells a doubt as present while one of its rechecks is pending', () => {
    const disagreements = [{ ...against([], 3), dissent: { 'sv-1': 'lag', 'sv-4': 'pending' } } as const]
    expect(headline({ disagreements })).toContain('contradict each other since 11:57 UTC')
  })

  test('tells votes without an answer as past after the time of a recheck', () => {
    const sides = [
      ['sv-1', 'sv-2'],
      ['sv-3', 'sv-4'],
    ].map((who, index) => ({ kind: 'value', digest: `${index}`, body: '{}', who }) as const)
    const disputed = (ago: number) =>
      headline({
        disagreements: [{ ...unreachable(ago), outcome: 'disputed', statements: sides }],
        agreedAt: model().machineMs - 60_000,
      })
    expect(disputed(0)).toContain('contradict each other since')
    expect(disputed(2)).toContain('contradicted each other at 11:58 UTC')
  })
})
