import { describe, expect, test } from 'vitest'
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

/** A disagreement in which these contradicted the answer, minutes before the time of the page. */
function against(who: readonly string[], minutesAgo = 0, filing: 'dissent' | 'lag' | 'pending' = 'dissent') {
  const at = new Date(model().machine - minutesAgo * 60_000).toISOString()
  return disagreement({ at, dissent: Object.fromEntries(who.map((name) => [name, filing])) })
}

describe('One line at the top says the whole state:', () => {
  test('nothing has to be done while all super validators agree', () => {
    expect(headline()).toBe('✓ All 4 super validators agree; nothing to do.')
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

  test('while nobody has voted yet, it claims no agreement', () => {
    const idle = member('sv-1').hour
    const votes = { ...idle.votes, agree: 0, dissent: 0 }
    const members = names.map((name) => member(name, { hour: { ...idle, votes, minutes: [votes] } }))
    expect(headline(roster({ members }))).toBe('✓ All 4 super validators answer; nothing to do.')
  })

  test('who contradicts the others, and since when', () => {
    const disagreements = [against(['sv-2'], 1), against(['sv-2'], 40), against(['sv-3'], 200)]
    expect(headline({ disagreements })).toBe(
      '! sv-2 contradicts the others since 11:20 UTC ; they outvote it.',
    )
  })

  test('who contradicted the others within the hour and no longer does', () => {
    const disagreements = [against(['sv-2'], 20), against(['sv-2'], 40)]
    expect(headline({ disagreements })).toBe(
      '– sv-2 contradicted the others from 11:20 UTC to 11:40 UTC ; they outvoted it.',
    )
    expect(headline({ disagreements: [against(['sv-2'], 61)] })).toContain('nothing to do')
  })

  test('a difference that ended by itself is nobody to blame', () => {
    expect(headline({ disagreements: [against(['sv-2'], 1, 'lag')] })).toContain('nothing to do')
  })

  test('nobody can tell who is right while more than f contradict what is agreed', () => {
    const says = headline({ disagreements: [against(['sv-2', 'sv-3'], 1, 'pending'), against(['sv-4'], 2)] })
    expect(says).toContain('More super validators than may lie contradict each other since 11:59 UTC')
    expect(says).not.toContain('sv-')
  })

  test('a vote without an answer is blamed on many only if more than f would have to lie', () => {
    const vote = (...groups: readonly (readonly string[])[]) =>
      disagreement({
        at: new Date(model().machine - 60_000).toISOString(),
        outcome: 'unreachable',
        agreed: null,
        dissent: {},
        statements: groups.map((who, index) => ({ kind: 'value', digest: `${index}`, body: '{}', who })),
      })
    const says = (...groups: readonly (readonly string[])[]) => headline({ disagreements: [vote(...groups)] })
    expect(says(['sv-1', 'sv-2'], ['sv-3', 'sv-4'])).toContain(
      'More super validators than may lie contradict',
    )
    expect(says(['sv-1'], ['sv-3'], ['sv-4'])).toContain('More super validators than may lie contradict')
    expect(says(['sv-3'], ['sv-1'])).not.toContain('contradict')
    expect(says(['sv-3'], ['sv-1', 'sv-2'])).not.toContain('contradict')
  })

  test('a contradiction is told as past as soon as all agree again', () => {
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
      '– More super validators than may lie contradicted each other at 11:57 UTC ; they agree again since 11:59 UTC .',
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

  test('lookups fail while fewer than the threshold answer, whatever else there is', () => {
    const model = { ...roster({ members: silent }), disagreements: [against(['sv-2'], 1)] }
    expect(headline(model)).toBe(
      '✕ Fewer than the threshold answer: 1 of 4, and 2 have to. Lookups that no cache answers fail.',
    )
  })

  test('lookups fail while too few operators answer', () => {
    const members = names.map((name) => member(name, { operator: 'one' }))
    expect(headline(roster({ members, operators: { n: 2, f: 0, threshold: 2 } }))).toContain(
      'Super validators of 1 operator answer, and 2 operators have to agree',
    )
  })

  test('one that does not answer is named while the others are enough', () => {
    const members = names.map((name, index) => member(name, { reachable: index !== 2 }))
    expect(headline(roster({ members }))).toBe(
      '! 3 of 4 super validators answer, which is enough; sv-3 does not.',
    )
  })

  test('one that was not asked yet is no failure', () => {
    const members = names.map((name, index) => member(name, { reachable: index === 2 ? undefined : true }))
    expect(headline(roster({ members }))).toBe('… 3 of 4 super validators answer; sv-3 was not asked yet.')
  })

  test('all is not well where one liar can change an answer', () => {
    expect(headline(roster({ isProtected: false }))).toContain('one liar can change an answer')
  })

  test('lookups fail before a roster is agreed', () => {
    expect(headline({ roster: undefined })).toBe(
      '✕ No roster of super validators is agreed yet: lookups fail.',
    )
  })
})
