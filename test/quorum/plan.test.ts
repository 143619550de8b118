import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { electorateOf } from '../../src/core/quorum/electorate.ts'
import { type Action, type FanoutMode, Plan } from '../../src/core/quorum/plan.ts'
import type { Reply } from '../../src/core/quorum/reply.ts'
import type { Policy } from '../../src/core/quorum/rules.ts'
import { elections, fPlusOne, hearings, listReplies, plainVoters, twoFPlusOne } from './elections.ts'

const thirteen = electorateOf(plainVoters(13), 'f+1')
const everyone = [...Array(13).keys()]
const whole: Policy = { agree: 'whole', patient: false }
const value: Reply = { kind: 'value', vote: '1', rank: '1' }
const refusal: Reply = { kind: 'refusal', vote: '404' }

function askedBy(actions: readonly Action[]): number[] {
  return actions.flatMap((action) => (action.do === 'ask' ? [action.voter] : []))
}

describe('a plan', () => {
  test('tells what was heard, and who can still be asked', () => {
    const plan = new Plan(thirteen, whole, { fanout: 'economical', order: everyone.slice(1) })
    plan.start()
    plan.reply(1, value)
    const unreachable: Reply = { kind: 'fault', fault: 'unreachable' }
    expect(plan.heard).toEqual([unreachable, value, ...Array(11).fill(undefined)])
    expect(plan.unasked).toEqual([6, 7, 8, 9, 10, 11, 12])
  })

  test('asks no voter that is set aside, and counts it as held back and in every threshold', () => {
    const plan = new Plan(thirteen, whole, {
      fanout: 'all',
      order: everyone.slice(9),
      aside: everyone.slice(0, 9),
    })
    expect(plan.start()).toEqual([
      { do: 'settle', verdict: expect.objectContaining({ kind: 'unreachable' }) },
      { do: 'close' },
    ])
    const heldBack: Reply = { kind: 'fault', fault: 'held-back' }
    expect(plan.heard).toEqual([...Array(9).fill(heldBack), ...Array(4).fill(undefined)])
  })

  test('does nothing more for a voter that is late after it has settled', () => {
    const plan = new Plan(thirteen, whole, { fanout: 'all', order: everyone })
    for (const voter of askedBy(plan.start()).slice(0, 5)) plan.reply(voter, value)
    expect(plan.verdict?.kind).toBe('agreed')
    expect([plan.late(7), plan.paused(8), plan.expire()]).toEqual([[], [], []])
  })

  test('asks nobody for silence after its deadline', () => {
    const plan = new Plan(thirteen, whole, { fanout: 'economical', order: everyone })
    plan.start()
    plan.expire()
    expect(plan.verdict?.kind).toBe('unreachable')
    expect(plan.unasked).not.toEqual([])
    expect([plan.late(0), plan.paused(1)]).toEqual([[], []])
  })

  test('asks one more for a ranked read when one of those asked fails, and everyone when two differ', () => {
    const plan = new Plan(
      thirteen,
      { agree: 'ranked', patient: false },
      { fanout: 'economical', order: everyone },
    )
    plan.start()
    plan.reply(0, value)
    expect(askedBy(plan.reply(1, { kind: 'fault', fault: 'reset' }))).toEqual([5])
    expect(askedBy(plan.reply(2, { kind: 'value', vote: '2', rank: '2' }))).toEqual([6, 7, 8, 9, 10, 11, 12])
  })

  test('takes at most f voters for silent, and counts on voters that are late after them', () => {
    const plan = new Plan(thirteen, whole, { fanout: 'economical', order: everyone })
    plan.start()
    expect([0, 1, 2, 3].map((voter) => askedBy(plan.late(voter)))).toEqual([[5], [6], [7], [8]])
    expect(askedBy(plan.late(4))).toEqual([])
    for (const voter of [5, 6, 7]) expect(askedBy(plan.reply(voter, value))).toEqual([])
    // The plan replaces at most f late voters. Voter 4 became late after f others, so the plan asks voter 9 only when
    // voter 4 fails.
    expect(askedBy(plan.reply(4, { kind: 'fault', fault: 'timeout' }))).toEqual([9])
  })

  test('counts on voters that are late after the first f also for an absence', () => {
    const seven = new Plan(electorateOf(plainVoters(13), 7), whole, { fanout: 'economical', order: everyone })
    expect(askedBy(seven.start())).toHaveLength(7)
    seven.reply(0, refusal)
    expect([1, 2, 3, 4].map((voter) => askedBy(seven.late(voter)))).toEqual([[7], [8], [9], [10]])
    expect(askedBy(seven.late(5))).toEqual([])
  })

  test('takes one for silent where no super validator may be faulty', () => {
    const two = electorateOf(plainVoters(2), 'f+1')
    const plan = new Plan(two, whole, { fanout: 'economical', order: [0, 1] })
    expect(askedBy(plan.start())).toEqual([0])
    expect(askedBy(plan.late(0))).toEqual([1])
  })

  test('asks another voter in place of each one that requests a pause', () => {
    const plan = new Plan(thirteen, whole, { fanout: 'economical', order: everyone })
    const asked = askedBy(plan.start())
    for (let at = 0; at < 8; at++) asked.push(...askedBy(plan.paused(asked[at] as number)))
    expect(asked).toEqual(everyone)
    for (const voter of [0, 1, 2, 3]) plan.reply(voter, value)
    plan.reply(12, value)
    expect(plan.verdict).toMatchObject({ kind: 'agreed', members: [0, 1, 2, 3, 12] })
  })

  test('does not miss one of a first wave with a spare', () => {
    const plan = new Plan(thirteen, whole, { fanout: 'economical', order: everyone, spare: true })
    expect(askedBy(plan.start())).toEqual([0, 1, 2, 3, 4, 5])
    expect(askedBy(plan.late(0))).toEqual([])
    expect(askedBy(plan.reply(1, { kind: 'fault', fault: 'reset' }))).toEqual([6])
  })

  test('has a spare only where it is to be economical, and for nothing that proves itself', () => {
    const wave = (fanout: FanoutMode, policy = whole) =>
      askedBy(new Plan(thirteen, policy, { fanout, order: everyone, spare: true }).start()).length
    expect([wave('economical'), wave('quorum'), wave('all')]).toEqual([6, 9, 13])
    expect(wave('economical', { ...whole, provable: true })).toBe(1)
  })

  test('counts whom it audits after the verdict, and hears it as evidence', () => {
    const plan = new Plan(thirteen, whole, { fanout: 'economical', order: everyone })
    for (const voter of askedBy(plan.start())) plan.reply(voter, value)
    plan.audit(9)
    expect([plan.asked, plan.unasked]).toEqual([6, [5, 6, 7, 8, 10, 11, 12]])
    expect(plan.reply(9, refusal)).toEqual([])
    expect([plan.heard[9], plan.verdict?.kind]).toEqual([refusal, 'agreed'])
  })

  test('asks no more for a ranked read than for any other while all say the same', () => {
    const plan = new Plan(
      thirteen,
      { agree: 'ranked', patient: false },
      { fanout: 'economical', order: everyone },
    )
    const asked = askedBy(plan.start())
    for (const voter of asked) asked.push(...askedBy(plan.reply(voter, value)))
    expect([asked.length, plan.verdict?.kind]).toEqual([5, 'agreed'])
  })

  test('asks as many as an absence needs once as many refuse as give a value', () => {
    const plan = new Plan(thirteen, whole, { fanout: 'economical', order: everyone })
    plan.start()
    plan.reply(0, value)
    plan.reply(1, refusal)
    // With the three voters in flight, the value could get only 1 + 3 of 5 votes, so the plan asked further voters.
    expect(plan.asked).toBe(10)
  })

  test('asks one for what proves itself only where it is to be economical', () => {
    const provable: Policy = { ...whole, provable: true }
    const wave = (fanout: FanoutMode) =>
      askedBy(new Plan(thirteen, provable, { fanout, order: everyone }).start()).length
    expect([wave('economical'), wave('quorum'), wave('all')]).toEqual([1, 9, 13])
  })

  test('asks everyone in the end while nobody who was asked answers', () => {
    const cases = elections({
      rule: (n) => fc.oneof(fPlusOne(), twoFPlusOne(), fc.integer({ min: 1, max: n })),
    }).chain(({ electorate }) =>
      fc.tuple(fc.constant(electorate), hearings(electorate, listReplies), fc.boolean()),
    )
    fc.assert(
      fc.property(cases, ([electorate, says, provable]) => {
        const order = [...electorate.voters.keys()]
        const plan = new Plan(electorate, { ...whole, provable }, { fanout: 'economical', order })
        const waiting = askedBy(plan.start())
        for (let voter = waiting.shift(); voter !== undefined; voter = waiting.shift()) {
          waiting.push(...askedBy(plan.late(voter)))
          waiting.push(...askedBy(plan.reply(voter, says[voter] ?? { kind: 'fault', fault: 'timeout' })))
        }
        if (plan.verdict === undefined) expect(plan.unasked).toEqual([])
      }),
      { numRuns: 500 },
    )
  })
})
