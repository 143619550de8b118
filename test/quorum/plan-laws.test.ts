import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/base/lib/random.ts'
import type { Electorate, Group } from '../../src/core/quorum/electorate.ts'
import { askingOrder, type FanoutMode, Plan } from '../../src/core/quorum/plan.ts'
import type { Item, Reply } from '../../src/core/quorum/reply.ts'
import { decide, type Policy } from '../../src/core/quorum/rules.ts'
import { meetThreshold } from '../../src/core/quorum/tally.ts'
import type { Verdict } from '../../src/core/quorum/verdict.ts'
import {
  type Election,
  elections,
  fPlusOne,
  fullHearings,
  hearings,
  listReplies,
  listsWith,
  replies,
  safeUpToHonest,
  twoFPlusOne,
} from './elections.ts'
import { playOut } from './play-out.ts'

const anyRule = (n: number) => fc.oneof(fPlusOne(), twoFPlusOne(), fc.integer({ min: 1, max: n + 1 }))
const fanouts = fc.constantFrom<FanoutMode[]>('economical', 'quorum', 'all')
const agreements = fc.constantFrom<Policy['agree'][]>('whole', 'items', 'ranked', 'history')
const policies = fc.record<Policy>({ agree: agreements, patient: fc.boolean() })
const seeds = fc.nat()

function planOf(electorate: Electorate, policy: Policy, fanout: FanoutMode, seed: number): Plan {
  const spare = seed % 2 === 0
  return new Plan(electorate, policy, { fanout, order: anyOrder(electorate, seed), spare })
}

function anyOrder(electorate: Electorate, seed: number): readonly number[] {
  const alike = electorate.voters.map(() => 1)
  return askingOrder(electorate, alike, seededRandom(seed))
}

function outcome(verdict: Verdict | undefined): unknown {
  if (verdict?.kind !== 'agreed') return 'no answer'
  return verdict.on === 'items'
    ? verdict.items.map(({ key, vote }) => `${key}=${vote}`)
    : [verdict.on, verdict.vote]
}

const silence: Reply = { kind: 'fault', fault: 'timeout' }

test('a plan asks each voter at most once, settles once, and closes after the last reply', () => {
  const runs = elections({ rule: anyRule, operators: true, sharedOrigins: true }).chain(({ electorate }) =>
    fc.tuple(fc.constant(electorate), hearings(electorate, listReplies), policies, fanouts, seeds),
  )
  fc.assert(
    fc.property(runs, ([electorate, says, policy, fanout, seed]) => {
      const { verdict, asked } = playOut(planOf(electorate, policy, fanout, seed), says, seed)
      if (verdict.kind === 'agreed') expect(asked).toEqual(expect.arrayContaining([...verdict.members]))
    }),
    { numRuns: 2000 },
  )
})

test('a plan settles without its deadline when everyone it asks answers', () => {
  const runs = elections({ rule: anyRule, operators: true, sharedOrigins: true }).chain(({ electorate }) =>
    fc.tuple(
      fc.constant(electorate),
      fullHearings(electorate, fc.oneof(replies, listReplies)),
      policies,
      fanouts,
      seeds,
    ),
  )
  fc.assert(
    fc.property(runs, ([electorate, says, policy, fanout, seed]) => {
      expect(playOut(planOf(electorate, policy, fanout, seed), says, seed).expired).toBe(false)
    }),
    { numRuns: 2000 },
  )
})

test('a plan never settles before it may, and then at once', () => {
  const runs = elections({ rule: anyRule, operators: true }).chain(({ electorate }) =>
    fc.tuple(fc.constant(electorate), fullHearings(electorate, listReplies), policies, seeds),
  )
  fc.assert(
    fc.property(runs, ([electorate, says, policy, seed]) => {
      const order = anyOrder(electorate, seed)
      const plan = new Plan(electorate, policy, { fanout: 'all', order })
      plan.start()
      const heard: (Reply | undefined)[] = says.map(() => undefined)
      let first = decide(electorate, heard, policy)
      expect(plan.verdict).toEqual(first)
      for (const voter of order) {
        heard[voter] = says[voter]
        first ??= decide(electorate, heard, policy)
        plan.reply(voter, says[voter] as Reply)
        expect(plan.verdict).toEqual(first)
      }
    }),
  )
})

test('with two thirds, the order of asks and replies makes no difference', () => {
  const runs = elections({ rule: twoFPlusOne, operators: true, sharedOrigins: true }).chain(
    ({ electorate }) => fc.tuple(fc.constant(electorate), hearings(electorate), fanouts, seeds),
  )
  fc.assert(
    fc.property(runs, ([electorate, says, fanout, seed]) => {
      const policy: Policy = { agree: 'whole', patient: false }
      const { verdict } = playOut(planOf(electorate, policy, fanout, seed), says, seed)
      const all = says.map((reply) => reply ?? silence)
      expect(outcome(verdict)).toEqual(outcome(decide(electorate, all, policy)))
    }),
    { numRuns: 2000 },
  )
})

/** All honest voters reply `truth`. A faulty voter replies anything or nothing. */
function unanimous(election: Election, truth: fc.Arbitrary<Reply>, lies: fc.Arbitrary<Reply>) {
  return fc.tuple(truth, hearings(election.electorate, lies)).map(([said, lie]) => ({
    ...election,
    truth: said,
    says: lie.map((reply, voter) => (election.faulty.includes(voter) ? reply : said)),
  }))
}

const truths = fc.constantFrom<Reply[]>(
  { kind: 'value', vote: 'truth', rank: 'rank 1' },
  { kind: 'refusal', vote: 'truth' },
)

describe.each([
  ['f+1', elections({ rule: fPlusOne, operators: true, fewOperatorsFail: true })],
  ['two thirds', elections({ rule: twoFPlusOne, operators: true, fewOperatorsFail: true })],
  ['any threshold that f cannot meet and n - f can', elections({ rule: safeUpToHonest })],
])('with %s, and at most f that lie, lag, hang or fail', (_, some) => {
  test('the honest answer is given, no straggler is waited for, and it is what all replies together decide', () => {
    const runs = some.chain((election) =>
      fc.tuple(unanimous(election, truths, replies), agreements, fanouts, seeds),
    )
    fc.assert(
      fc.property(runs, ([{ electorate, says, truth }, agree, fanout, seed]) => {
        const policy: Policy = { agree, patient: false }
        const { verdict, expired } = playOut(planOf(electorate, policy, fanout, seed), says, seed)
        expect(outcome(verdict)).toEqual([truth.kind, 'truth'])
        expect(expired).toBe(false)
        const all = says.map((reply) => reply ?? silence)
        expect(outcome(decide(electorate, all, policy))).toEqual(outcome(verdict))
      }),
      { numRuns: 2000 },
    )
  })
})

test('honest lists that lag differently are agreed on without waiting for f hanging voters, and keep what all of them hold', () => {
  const always: Item = { key: 'k3', vote: 'always', later: '2028' }
  const runs = elections({ rule: fPlusOne }).chain((election) =>
    fc.tuple(
      fc.constant(election),
      fullHearings(election.electorate, listsWith([always])),
      hearings(election.electorate, listReplies),
      fanouts,
      seeds,
    ),
  )
  fc.assert(
    fc.property(runs, ([{ electorate, faulty }, honestly, lies, fanout, seed]) => {
      const says = honestly.map((reply, voter) => (faulty.includes(voter) ? lies[voter] : reply))
      const policy: Policy = { agree: 'items', patient: false }
      const { verdict, expired } = playOut(planOf(electorate, policy, fanout, seed), says, seed)
      expect(expired).toBe(false)
      if (electorate.superValidators.f > 0) expect(String(outcome(verdict))).toContain('k3=always')
    }),
    { numRuns: 2000 },
  )
})

test('cutting connections lowers no threshold: nothing is agreed by fewer', () => {
  const runs = elections({ rule: anyRule, operators: true, sharedOrigins: true }).chain(({ electorate }) =>
    fc.tuple(
      fc.constant(electorate),
      fc.subarray([...electorate.voters.keys()]),
      fullHearings(electorate),
      fanouts,
      seeds,
    ),
  )
  fc.assert(
    fc.property(runs, ([electorate, connected, says, fanout, seed]) => {
      const plan = new Plan(electorate, { agree: 'whole', patient: false }, { fanout, order: connected })
      const { verdict, asked } = playOut(plan, says, seed)
      expect(connected).toEqual(expect.arrayContaining([...asked]))
      if (verdict.kind === 'agreed') expect(meetThreshold(electorate, verdict.members)).toBe(true)
    }),
    { numRuns: 1000 },
  )
})

test('an economical first wave is the smallest that can meet both thresholds, and one more where there is a spare', () => {
  fc.assert(
    fc.property(
      elections({ n: fc.integer({ min: 1, max: 9 }), rule: anyRule, operators: true }),
      seeds,
      ({ electorate }, seed) => {
        const policy: Policy = { agree: 'whole', patient: false }
        const actions = planOf(electorate, policy, 'economical', seed).start()
        const asked = actions.flatMap((action) => (action.do === 'ask' ? [action.voter] : []))
        const sizes = subsets(electorate.voters.length)
          .filter((group) => meetThreshold(electorate, group))
          .map((g) => g.length)
        if (sizes.length === 0) expect(asked).toEqual([])
        else {
          const spare = seed % 2 === 0 ? 1 : 0
          const size = Math.min(electorate.voters.length, Math.min(...sizes) + spare)
          expect([asked.length, meetThreshold(electorate, asked)]).toEqual([size, true])
        }
      },
    ),
  )
})

function subsets(n: number): Group[] {
  return Array.from({ length: 2 ** n }, (_, bits) =>
    [...Array(n).keys()].filter((voter) => (bits >> voter) & 1),
  )
}
