import { describe, expect, test } from 'vitest'
import { doubtOf, type Stand } from '../../src/doctor/examiner.ts'
import type { LiveModel, ShownRoster } from '../../src/server/ui/model.ts'
import { storiesOf } from '../../src/server/ui/stories.ts'
import { headlineView } from '../../src/server/ui/views/headline.ts'
import { doubtView, outcomeSentence } from '../../src/server/ui/views/lookup.ts'
import { beginningRing, finishedRing } from '../../src/server/ui/views/ring.ts'
import { summaryView } from '../../src/server/ui/views/roster.ts'
import { disagreement, examination, member, model, stand, textOf } from './samples.ts'

const pair = ['sv-1', 'sv-2']
const stands = [stand('sv-1', { names: pair }), stand('sv-3'), stand('sv-4')]

function told(first: Partial<Stand>, second: Partial<Stand>, outcome: 'agreed' | 'disputed' = 'agreed') {
  const [shared, ...others] = stands as [Stand, ...Stand[]]
  return examination(
    {},
    { outcome, stands: [{ ...shared, ...first }, ...others.map((each) => ({ ...each, ...second }))] },
  )
}

function roster(reachable: readonly boolean[]): Partial<LiveModel> {
  const members = stands.map(({ names }, index) =>
    member(names[0] as string, { names, reachable: reachable[index] }),
  )
  return { roster: { ...(model().roster as ShownRoster), members } }
}

describe('Super validators that publish the same address have one vote together, and so', () => {
  test('the ring and its sentence count one voter for them', () => {
    const all = examination({}, { stands })
    expect(textOf(finishedRing(all, []))).toContain('3/3 agreed')
    expect(finishedRing(all, []).toString()).toContain('data-of="3"')
    expect(textOf(beginningRing(stands, { n: 4, f: 1, threshold: 2 }))).toContain('0/3')
    expect(outcomeSentence(all)).toBe(
      '3 of 3 voters gave this answer; 2 had to. It was decided after 12\u00a0ms.',
    )
  })

  test('they alone close one segment of the ring, where nothing was agreed', () => {
    const alone = told({ stance: 'voted' }, { stance: 'silent', why: 'timeout' }, 'disputed')
    expect(textOf(finishedRing(alone, []))).toContain('1/3 said the same')
    expect(textOf(doubtView(alone, undefined))).toContain('2 of 3 voters have to say the same')
  })

  test('their contradiction is that of one voter, which f = 1 allows', () => {
    const lied = told({ stance: 'dissented' }, {})
    expect(doubtOf(lied)).toBeUndefined()
    const kept = disagreement({ dissent: { 'sv-1': 'dissent', 'sv-2': 'dissent' } })
    expect(storiesOf([{ ...kept, sharedVotes: [pair] }], 1)[0]?.kind).toBe('dissenter')
    expect(storiesOf([kept], 1)[0]?.kind).toBe('doubtful')
  })

  test('the line at the top says that too few answer where they alone do', () => {
    const alone = model(roster([true, false, false]))
    expect(textOf(headlineView(alone))).toContain(
      'Fewer than the threshold answered at the last check: 1 of 3 voters, and 2 have to.',
    )
    expect(textOf(summaryView(alone))).toContain('1 of 3 voters are reachable, and 2 have to say the same')
  })

  test('the summary counts voters beside super validators, and says who shares a vote', () => {
    const shown = summaryView(model(roster([true, true, true])))
    expect(textOf(shown)).toMatch(/Super validators 4 Voters 3 Reachable 3 /)
    expect(textOf(shown)).toContain('sv-1 and sv-2 publish the same address, so they have one vote together.')
    expect(shown.toString()).toContain('<div class="good"><dt>Reachable</dt>')
    expect(textOf(summaryView(model()))).not.toMatch(/Voters|one vote together/)
  })
})
