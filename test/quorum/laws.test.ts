import fc from 'fast-check'
import { expect, test } from 'vitest'
import { electorateOf, type Group, type Voter } from '../../src/core/quorum/electorate.ts'
import type { Reply } from '../../src/core/quorum/reply.ts'
import { decide, type Policy } from '../../src/core/quorum/rules.ts'
import { firstVote, meetThreshold, operatorsOf } from '../../src/core/quorum/tally.ts'
import type { Verdict } from '../../src/core/quorum/verdict.ts'
import {
  type Election,
  elections,
  fPlusOne,
  fullHearings,
  hearings,
  historyOf,
  historyReplies,
  listOf,
  listReplies,
  listsWith,
  plainVoters,
  replies,
  safeUpToHonest,
  twoFPlusOne,
  upToHonest,
} from './elections.ts'

const whole: Policy = { agree: 'whole', patient: false }
const policies = fc.record<Policy>({
  agree: fc.constantFrom('whole', 'items', 'ranked', 'history'),
  patient: fc.boolean(),
})
const anyRule = (n: number) => fc.oneof(fPlusOne(), twoFPlusOne(), fc.integer({ min: 1, max: n + 1 }))
const anyElection = elections({ rule: anyRule, operators: true, sharedOrigins: true })
const everyN = Array.from({ length: 16 }, (_, index) => index + 1)

function answerOf(verdict: Verdict | undefined): unknown {
  if (verdict?.kind !== 'agreed') return verdict?.kind === undefined ? 'wait' : 'no answer'
  if (verdict.on !== 'items') return `${verdict.on} ${verdict.vote}`
  return verdict.items.map(({ key, vote }) => `${key}=${vote}`).join(' ')
}

test('the order of replies and repeated replies change nothing', () => {
  const runs = anyElection.chain(({ electorate }) =>
    fullHearings(electorate, fc.oneof(listReplies, historyReplies)).chain((said) =>
      fc.record({
        electorate: fc.constant(electorate),
        said: fc.constant(said),
        order: fc.array(fc.nat({ max: said.length - 1 }), {
          minLength: said.length,
          maxLength: 3 * said.length,
        }),
        policy: policies,
      }),
    ),
  )
  fc.assert(
    fc.property(runs, ({ electorate, said, order, policy }) => {
      const heard: (Reply | undefined)[] = said.map(() => undefined)
      for (const voter of [...order, ...said.keys()])
        heard[voter] = firstVote(heard[voter], said[voter] as Reply)
      expect(decide(electorate, heard, policy)).toEqual(decide(electorate, said, policy))
    }),
  )
})

test('which index a super validator has changes nothing but the indices', () => {
  const runs = anyElection.chain(({ electorate }) =>
    fc.record({
      electorate: fc.constant(electorate),
      heard: hearings(electorate, fc.oneof(listReplies, historyReplies)),
      places: fc.shuffledSubarray([...electorate.voters.keys()], { minLength: electorate.voters.length }),
      policy: policies,
    }),
  )
  fc.assert(
    fc.property(runs, ({ electorate, heard, places, policy }) => {
      const moved = { ...electorate, voters: places.map((voter) => electorate.voters[voter] as Voter) }
      const before = decide(electorate, heard, policy)
      const after = decide(
        moved,
        places.map((voter) => heard[voter]),
        policy,
      )
      expect([after?.kind, after?.rule, answerOf(after)]).toEqual([
        before?.kind,
        before?.rule,
        answerOf(before),
      ])
    }),
  )
})

test('the names of votes change nothing', () => {
  const runs = anyElection.chain(({ electorate }) =>
    fc.record({ electorate: fc.constant(electorate), heard: hearings(electorate), policy: policies }),
  )
  const renamed = (reply: Reply | undefined) =>
    reply !== undefined && 'vote' in reply
      ? { ...reply, vote: `${9 - Number(reply.vote[0])}${reply.vote}` }
      : reply
  fc.assert(
    fc.property(runs, ({ electorate, heard, policy }) => {
      const before = decide(electorate, heard, policy)
      const after = decide(electorate, heard.map(renamed), policy)
      expect([after?.kind, after?.rule]).toEqual([before?.kind, before?.rule])
      if (before?.kind === 'agreed' && after?.kind === 'agreed') expect(after.members).toEqual(before.members)
    }),
  )
})

/**
 * Generates two hearings of one election. An honest voter gives the same reply in both hearings, unless the reply is
 * missing. A faulty voter replies anything.
 */
function twoHearings(
  election: Election,
  honestly: fc.Arbitrary<Reply>,
  lying: fc.Arbitrary<Reply> = listReplies,
) {
  const { electorate, faulty } = election
  return fc
    .tuple(fullHearings(electorate, honestly), hearings(electorate, lying), hearings(electorate, lying))
    .chain(([truth, lies, otherLies]) => {
      const seen = (lie: (Reply | undefined)[]) =>
        fc.infiniteStream(fc.boolean()).map((coins) =>
          truth.map((reply, voter) => {
            if (faulty.includes(voter)) return lie[voter]
            return coins.next().value === true ? reply : undefined
          }),
        )
      return fc.tuple(fc.constant(election), seen(lies), seen(otherLies), policies)
    })
}

test.each(everyN)('nothing that f of %i do makes two different values agreed by two thirds', (n) => {
  const cases = elections({
    n: fc.constant(n),
    rule: twoFPlusOne,
    operators: true,
    sharedOrigins: true,
  }).chain((election) => twoHearings(election, fc.oneof(replies, listReplies)))
  fc.assert(
    fc.property(cases, ([{ electorate }, one, other, policy]) => {
      const [a, b] = [decide(electorate, one, policy), decide(electorate, other, policy)]
      if (a?.kind !== 'agreed' || b?.kind !== 'agreed') return
      if (a.on !== 'items' && b.on !== 'items') expect(answerOf(a)).toBe(answerOf(b))
      if (a.on !== 'items' || b.on !== 'items') return
      const votes = new Map(a.items.map(({ key, vote }) => [key, vote]))
      for (const { key, vote } of b.items) expect(votes.get(key) ?? vote).toBe(vote)
    }),
    { numRuns: 300 },
  )
})

function stepsOf(verdict: Verdict | undefined): readonly string[] | undefined {
  if (verdict?.kind !== 'agreed' || (verdict.on !== 'value' && verdict.on !== 'history')) return undefined
  if (!verdict.vote.startsWith('history ')) return undefined
  const votes = verdict.vote.slice('history '.length).split(' ').filter(Boolean)
  return verdict.on === 'history' ? votes.slice(0, verdict.length) : votes
}

test.each(everyN)(
  'of two histories that f of %i can make agreed by two thirds one begins with the other',
  (n) => {
    const cases = elections({
      n: fc.constant(n),
      rule: twoFPlusOne,
      operators: true,
      sharedOrigins: true,
    }).chain((election) => twoHearings(election, historyReplies, historyReplies))
    fc.assert(
      fc.property(cases, ([{ electorate }, one, other]) => {
        const policy: Policy = { agree: 'history', patient: false }
        const [a, b] = [one, other].map((heard) => stepsOf(decide(electorate, heard, policy)))
        if (a === undefined || b === undefined) return
        const length = Math.min(a.length, b.length)
        expect(a.slice(0, length)).toEqual(b.slice(0, length))
      }),
      { numRuns: 300 },
    )
  },
)

test('once all voters have replied, f voters cannot withhold history that f+1 others have', () => {
  const cases = elections({ n: fc.integer({ min: 4, max: 13 }), rule: fPlusOne }).chain((election) =>
    fc.record({
      election: fc.constant(election),
      heard: fullHearings(election.electorate, historyReplies),
      length: fc.integer({ min: 1, max: 4 }),
    }),
  )
  fc.assert(
    fc.property(cases, ({ election: { electorate, honest }, heard, length }) => {
      const true4 = ['a', 'b', 'c', 'd']
      const said = heard.map((reply, voter) => {
        if (!honest.includes(voter)) return reply
        return historyOf(true4.slice(0, Math.max(length, voter % 5)))
      })
      const steps = stepsOf(decide(electorate, said, { agree: 'history', patient: false }))
      expect(steps?.slice(0, length)).toEqual(true4.slice(0, length))
    }),
    { numRuns: 500 },
  )
})

test('f voters cannot shorten a history that all others carry to the end of a moment, whatever they add', () => {
  const added = fc.record({ moment: fc.constantFrom('1', '2', '3'), vote: fc.constantFrom('x', 'y') })
  const forEach = { minLength: 13, maxLength: 13 }
  const cases = fc.record({
    election: elections({ n: fc.integer({ min: 4, max: 13 }), rule: safeUpToHonest }),
    lengths: fc.array(fc.nat({ max: 4 }), forEach),
    additions: fc.array(fc.array(added, { maxLength: 3 }), forEach),
  })
  // The first two steps are one moment; the others are another, of which honest voters know more or less.
  const truth = ['1', '1', '2', '2', '2', '2'].map((moment, at) => ({ moment, vote: `true ${at}` }))
  fc.assert(
    fc.property(cases, ({ election: { electorate, honest }, lengths, additions }) => {
      const said = lengths.slice(0, electorate.voters.length).map((length, voter) => {
        const steps = honest.includes(voter)
          ? truth.slice(0, 2 + length)
          : [...truth.slice(0, length), ...(additions[voter] ?? [])]
        return { kind: 'value', vote: JSON.stringify(steps), steps } as const
      })
      const verdict = decide(electorate, said, { agree: 'history', patient: false })
      expect(verdict?.kind).toBe('agreed')
      const carriers = verdict?.kind === 'agreed' ? verdict.members : []
      for (const voter of carriers) expect(said[voter]?.steps.slice(0, 2)).toEqual(truth.slice(0, 2))
      if (verdict?.kind === 'agreed' && verdict.on === 'history')
        expect(verdict.length).toBeGreaterThanOrEqual(2)
    }),
    { numRuns: 500 },
  )
})

const times = fc.integer({ min: 10, max: 99 }).map((time): Reply => {
  return { kind: 'value', vote: `at ${time}`, time: String(time) }
})

const timesAndOthers = fc.oneof(
  times,
  replies.filter(({ kind }) => kind !== 'value'),
)

test('f voters can neither advance a time beyond all honest ones, nor hold it back behind all of them', () => {
  const cases = elections({ rule: safeUpToHonest, operators: true, sharedOrigins: true }).chain((election) =>
    fc.record({
      election: fc.constant(election),
      truth: hearings(election.electorate, times),
      lies: hearings(election.electorate, timesAndOthers),
    }),
  )
  fc.assert(
    fc.property(cases, ({ election: { electorate, honest, faulty }, truth, lies }) => {
      const heard = truth.map((reply, voter) => (faulty.includes(voter) ? lies[voter] : reply))
      const verdict = decide(electorate, heard, { agree: 'reached', patient: false })
      if (verdict?.kind !== 'agreed' || verdict.on !== 'value') return
      const served = Number(verdict.vote.slice('at '.length))
      const heardHonest = honest.filter((voter) => truth[voter] !== undefined)
      const reached = heardHonest.map((voter) => Number((truth[voter] as { time?: string }).time))
      expect(served).toBeLessThanOrEqual(Math.max(...reached))
      if (meetThreshold(electorate, heardHonest)) expect(served).toBeGreaterThanOrEqual(Math.min(...reached))
      expect(meetThreshold(electorate, verdict.members)).toBe(true)
    }),
    { numRuns: 2000 },
  )
})

test('later replies never make an agreed time earlier', () => {
  const cases = anyElection.chain(({ electorate }) =>
    fc.record({
      electorate: fc.constant(electorate),
      said: fullHearings(electorate, timesAndOthers),
      before: fc.array(fc.boolean(), {
        minLength: electorate.voters.length,
        maxLength: electorate.voters.length,
      }),
    }),
  )
  fc.assert(
    fc.property(cases, ({ electorate, said, before }) => {
      const policy: Policy = { agree: 'reached', patient: false }
      const early = said.map((reply, voter) => (before[voter] === true ? reply : undefined))
      const [one, other] = [decide(electorate, early, policy), decide(electorate, said, policy)]
      if (one?.kind !== 'agreed' || one.on !== 'value') return
      expect(other).toMatchObject({ kind: 'agreed', on: 'value' })
      expect(String(answerOf(other)) >= String(answerOf(one))).toBe(true)
    }),
    { numRuns: 2000 },
  )
})

test('one more than f can make two different values agreed by two thirds', () => {
  const electorate = electorateOf(plainVoters(4), '2f+1')
  const say = (vote: string): Reply => ({ kind: 'value', vote })
  const [one, other] = [
    [say('1'), say('1'), say('1')],
    [say('2'), say('2'), undefined, say('2')],
  ]
  expect([one, other].map((heard) => answerOf(decide(electorate, heard, whole)))).toEqual([
    'value 1',
    'value 2',
  ])
})

test('an honest super validator said everything on which f+1 agree', () => {
  // Every value of a history has steps.
  const pages = fc.oneof(
    replies.filter(({ kind }) => kind !== 'value'),
    fc.array(fc.constantFrom('x', 'y'), { maxLength: 3 }).map(historyOf),
  )
  const cases = fc
    .tuple(elections({ rule: safeUpToHonest, operators: true, sharedOrigins: true }), policies)
    .chain(([election, policy]) => {
      const said = policy.agree === 'history' ? pages : fc.oneof(replies, listReplies)
      return fc.tuple(fc.constant(election), hearings(election.electorate, said), fc.constant(policy))
    })
  fc.assert(
    fc.property(cases, ([{ electorate, honest }, heard, policy]) => {
      const verdict = decide(electorate, heard, policy)
      if (verdict?.kind !== 'agreed') return
      const groups: Group[] =
        verdict.on === 'items' ? verdict.items.map(({ voters }) => voters) : [verdict.members]
      for (const group of groups) expect(group.some((voter) => honest.includes(voter))).toBe(true)
      for (const group of groups) expect(meetThreshold(electorate, group)).toBe(true)
    }),
    { numRuns: 1000 },
  )
})

const refusing: Reply = { kind: 'refusal', vote: '404' }

const winnable = (rule: Parameters<typeof elections>[0]['rule']) =>
  elections({ rule, operators: true }).filter(({ electorate, honest }) => meetThreshold(electorate, honest))

test('an entry that n - f honest ones hold, in whatever version, is never answered as absent', () => {
  const cases = winnable(safeUpToHonest).chain((election) =>
    fc.tuple(
      fc.constant(election),
      hearings(
        election.electorate,
        fc.constantFrom('1', '2', '3').map((vote): Reply => ({ kind: 'value', vote })),
      ),
      hearings(election.electorate, fc.oneof(fc.constant(refusing), replies)),
      policies,
    ),
  )
  fc.assert(
    fc.property(cases, ([{ electorate, faulty }, held, lies, policy]) => {
      const heard = held.map((reply, voter) => (faulty.includes(voter) ? lies[voter] : reply))
      expect(decide(electorate, heard, policy)).not.toMatchObject({ kind: 'agreed', on: 'refusal' })
    }),
    { numRuns: 1000 },
  )
})

test('an entry that n - f honest ones hold alike is not answered as absent below f+1 either', () => {
  const cases = winnable(upToHonest).chain((election) =>
    fc.tuple(
      fc.constant(election),
      hearings(election.electorate, fc.constant<Reply>({ kind: 'value', vote: '1' })),
      hearings(election.electorate, fc.constantFrom(refusing, { kind: 'fault', fault: 'timeout' } as const)),
    ),
  )
  fc.assert(
    fc.property(cases, ([{ electorate, faulty }, held, lies]) => {
      const heard = held.map((reply, voter) => (faulty.includes(voter) ? lies[voter] : reply))
      expect(decide(electorate, heard, whole)).not.toMatchObject({ kind: 'agreed', on: 'refusal' })
    }),
    { numRuns: 1000 },
  )
})

test('an item that n - f honest ones list is on every list that is agreed', () => {
  const always = { key: 'k3', vote: 'always', later: '2028' }
  const cases = winnable(safeUpToHonest).chain((election) =>
    fc.tuple(
      fc.constant(election),
      hearings(election.electorate, listsWith([always])),
      hearings(election.electorate, listReplies),
    ),
  )
  fc.assert(
    fc.property(cases, ([{ electorate, faulty }, held, lies]) => {
      const heard = held.map((reply, voter) => (faulty.includes(voter) ? lies[voter] : reply))
      const verdict = decide(electorate, heard, { agree: 'items', patient: false })
      if (verdict?.kind === 'agreed') expect(answerOf(verdict)).toContain('k3=always')
    }),
    { numRuns: 2000 },
  )
})

test('an abstention never changes the value of a verdict', () => {
  const cases = anyElection.chain(({ electorate }) =>
    fc.tuple(fc.constant(electorate), hearings(electorate, fc.oneof(replies, listReplies)), policies),
  )
  fc.assert(
    fc.property(cases, ([electorate, heard, policy]) => {
      const timeout: Reply = { kind: 'fault', fault: 'timeout' }
      const failing = heard.map((reply) => (reply?.kind === 'abstention' ? timeout : reply))
      expect(answerOf(decide(electorate, heard, policy))).toEqual(
        answerOf(decide(electorate, failing, policy)),
      )
    }),
    { numRuns: 1000 },
  )
})

function growing({ electorate }: Election) {
  return fc.tuple(fullHearings(electorate), fc.infiniteStream(fc.nat({ max: 2 }))).map(([said, coins]) => {
    const when = said.map(() => coins.next().value as number)
    const heardBy = (moment: number) =>
      said.map((reply, voter) => ((when[voter] ?? 0) <= moment ? reply : undefined))
    return { electorate, before: heardBy(0), after: heardBy(1) }
  })
}

test('later replies never change a verdict of two thirds', () => {
  const cases = elections({ rule: twoFPlusOne, operators: true, sharedOrigins: true }).chain(growing)
  fc.assert(
    fc.property(cases, ({ electorate, before, after }) => {
      const verdict = decide(electorate, before, whole)
      if (verdict !== undefined) expect(answerOf(decide(electorate, after, whole))).toBe(answerOf(verdict))
    }),
    { numRuns: 1000 },
  )
})

test('later replies never turn an agreed absence, or an answer of none, into a value', () => {
  const cases = anyElection.chain((election) => fc.tuple(growing(election), policies))
  fc.assert(
    fc.property(cases, ([{ electorate, before, after }, policy]) => {
      const [verdict, later] = [decide(electorate, before, policy), decide(electorate, after, policy)]
      if (verdict === undefined) return
      if (verdict.kind !== 'agreed') expect(answerOf(later)).toBe('no answer')
      else if (verdict.on === 'refusal') expect(answerOf(later)).not.toContain('value')
    }),
    { numRuns: 1000 },
  )
})

test('grouping by operators never makes a coalition win that did not win before', () => {
  const cases = elections({ rule: anyRule, operators: true, sharedOrigins: true }).chain(({ electorate }) =>
    fc.tuple(fc.constant(electorate), fc.subarray([...electorate.voters.keys()]), hearings(electorate)),
  )
  fc.assert(
    fc.property(cases, ([electorate, coalition, heard]) => {
      const { operators: _, ...ungrouped } = electorate
      if (meetThreshold(electorate, coalition)) expect(meetThreshold(ungrouped, coalition)).toBe(true)
      const verdict = decide(electorate, heard, whole)
      if (verdict?.kind === 'agreed') expect(meetThreshold(ungrouped, verdict.members)).toBe(true)
    }),
  )
})

test('operators are counted by company, with the thresholds of the whole roster', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 6 }), { minLength: 1, maxLength: 16 }), (companies) => {
      const voters = companies.map((company, at) => ({
        names: [`sv-${at}`],
        operator: `operator ${company}`,
      }))
      const distinct = new Set(companies).size
      const electorate = electorateOf(voters, 'f+1', distinct)
      expect(operatorsOf(electorate, [...voters.keys()])).toBe(distinct)
      expect(meetThreshold(electorate, [...voters.keys()])).toBe(true)
      expect(electorate.operators).toEqual(electorateOf(plainVoters(distinct), 'f+1').superValidators)
    }),
  )
})

test('super validators that share an origin lower no threshold', () => {
  fc.assert(
    fc.property(elections({ rule: anyRule, sharedOrigins: true }), ({ electorate }) => {
      const names = electorate.voters.flatMap((voter) => voter.names)
      expect(electorate.superValidators.n).toBe(names.length)
      expect(electorate.voters.length).toBeLessThanOrEqual(names.length)
    }),
  )
})

test('two lists say the same exactly when they hold the same items', () => {
  const x = { key: 'x', vote: '1', later: '' }
  const y = { key: 'y', vote: '1', later: '' }
  expect(listOf([x, y])).toEqual(listOf([y, x]))
  expect(listOf([x])).not.toEqual(listOf([x, y]))
})
