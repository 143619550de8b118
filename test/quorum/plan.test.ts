import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { electorateOf } from '../../src/quorum/electorate.ts'
import { type Action, type Fanout, Plan } from '../../src/quorum/plan.ts'
import type { Reply } from '../../src/quorum/reply.ts'
import type { Policy } from '../../src/quorum/rules.ts'
import { elections, fPlusOne, hearings, listReplies, twoFPlusOne } from './elections.ts'

const voters = (n: number) =>
  Array.from({ length: n }, (_, at) => ({ names: [`sv-${at}`], operator: `sv-${at}` }))
const thirteen = electorateOf(voters(13), 'f+1')
const everyone = [...Array(13).keys()]
const whole: Policy = { agree: 'whole', patient: false }
const value: Reply = { kind: 'value', vote: '1', rank: '1' }
const refusal: Reply = { kind: 'refusal', vote: '404' }

function askedBy(actions: readonly Action[]): number[] {
  return actions.flatMap((action) => (action.do === 'ask' ? [action.voter] : []))
}

const wakes = (actions: readonly Action[]) => actions.some((action) => action.do === 'wake')

describe('a plan', () => {
  test('tells what was heard, and who can still be asked', () => {
    const plan = new Plan(thirteen, whole, 'economical', everyone.slice(1))
    plan.start()
    plan.reply(1, value)
    const unreachable: Reply = { kind: 'fault', fault: 'unreachable' }
    expect(plan.heard).toEqual([unreachable, value, ...Array(11).fill(undefined)])
    expect(plan.unasked).toEqual([6, 7, 8, 9, 10, 11, 12])
  })

  test('does nothing more when it is woken after it has settled', () => {
    const plan = new Plan(thirteen, whole, 'economical', everyone)
    for (const voter of askedBy(plan.start())) plan.reply(voter, value)
    expect(plan.verdict?.kind).toBe('agreed')
    expect(plan.woke()).toEqual([])
    expect(plan.expire()).toEqual([])
  })

  test('asks nobody when it is woken after its deadline', () => {
    const plan = new Plan(thirteen, whole, 'economical', everyone)
    plan.start()
    plan.expire()
    expect(plan.verdict?.kind).toBe('unreachable')
    expect(plan.unasked).not.toEqual([])
    expect(plan.woke()).toEqual([])
  })

  test('asks one more for a ranked read when one of those asked fails, and everyone when two differ', () => {
    const plan = new Plan(thirteen, { agree: 'ranked', patient: false }, 'economical', everyone)
    plan.start()
    plan.reply(0, value)
    expect(askedBy(plan.reply(1, { kind: 'fault', fault: 'reset' }))).toEqual([5])
    expect(askedBy(plan.reply(2, { kind: 'value', vote: '2', rank: '2' }))).toEqual([6, 7, 8, 9, 10, 11, 12])
  })

  test('counts on those that it asked after a wake was set until the wake after it', () => {
    const plan = new Plan(thirteen, whole, 'economical', everyone)
    plan.start()
    expect(askedBy(plan.reply(0, { kind: 'fault', fault: 'reset' }))).toEqual([5])
    const first = plan.woke()
    expect(askedBy(first)).toEqual([6, 7, 8, 9])
    expect(wakes(first)).toBe(true)
    // Now 5 is late as well; the four that were asked by the first wake had a whole delay of their own.
    expect(askedBy(plan.woke())).toEqual([10, 11, 12])
  })

  test('is woken again for those that were asked since, although it asks nobody now', () => {
    const plan = new Plan(thirteen, whole, 'economical', everyone)
    plan.start()
    for (const voter of [0, 1, 2, 3]) plan.reply(voter, value)
    expect(askedBy(plan.reply(4, { kind: 'fault', fault: 'reset' }))).toEqual([5])
    const woken = plan.woke()
    expect(askedBy(woken)).toEqual([])
    expect(wakes(woken)).toBe(true)
    expect(askedBy(plan.woke())).toEqual([6])
  })

  test('asks no more for a ranked read than for any other while all say the same', () => {
    const plan = new Plan(thirteen, { agree: 'ranked', patient: false }, 'economical', everyone)
    const asked = askedBy(plan.start())
    for (const voter of asked) asked.push(...askedBy(plan.reply(voter, value)))
    expect([asked.length, plan.verdict?.kind]).toEqual([5, 'agreed'])
  })

  test('asks as many as an absence needs once as many refuse as give a value', () => {
    const plan = new Plan(thirteen, whole, 'economical', everyone)
    plan.start()
    plan.reply(0, value)
    plan.reply(1, refusal)
    // Three more values would not be enough: 1 + 3 < 5.
    expect(plan.asked).toBe(10)
  })

  test('asks one for what proves itself only where it is to be economical', () => {
    const provable: Policy = { ...whole, provable: true }
    const wave = (fanout: Fanout) => askedBy(new Plan(thirteen, provable, fanout, everyone).start()).length
    expect([wave('economical'), wave('quorum'), wave('all')]).toEqual([1, 9, 13])
  })

  test('asks everyone in the end while nobody who was asked answers in time', () => {
    const cases = elections({
      rule: (n) => fc.oneof(fPlusOne(), twoFPlusOne(), fc.integer({ min: 1, max: n })),
    }).chain(({ electorate }) =>
      fc.tuple(fc.constant(electorate), hearings(electorate, listReplies), fc.boolean()),
    )
    fc.assert(
      fc.property(cases, ([electorate, says, provable]) => {
        const order = [...electorate.voters.keys()]
        const plan = new Plan(electorate, { ...whole, provable }, 'economical', order)
        let pending = wakes(plan.start())
        const speak = () => {
          for (const voter of order.slice(0, plan.asked)) {
            const reply = says[voter]
            if (reply === undefined || plan.heard[voter] !== undefined) continue
            if (wakes(plan.reply(voter, reply))) pending = true
          }
        }
        for (speak(); pending && plan.verdict === undefined; speak()) pending = wakes(plan.woke())
        if (plan.verdict === undefined) expect(plan.unasked).toEqual([])
      }),
      { numRuns: 500 },
    )
  })
})
