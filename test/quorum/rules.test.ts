import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { electorateOf } from '../../src/core/quorum/electorate.ts'
import type { Reply, Step } from '../../src/core/quorum/reply.ts'
import { decide, type Policy } from '../../src/core/quorum/rules.ts'
import {
  elections,
  fPlusOne,
  fullHearings,
  hearings,
  listReplies,
  plainVoters,
  replies,
  twoFPlusOne,
} from './elections.ts'

const policies = fc.record<Policy>({
  agree: fc.constantFrom('whole', 'items', 'ranked', 'history'),
  patient: fc.boolean(),
  provable: fc.boolean(),
})
const anyElection = elections({
  n: fc.integer({ min: 1, max: 7 }),
  rule: (n) => fc.oneof(fPlusOne(), twoFPlusOne(), fc.integer({ min: 1, max: n + 1 })),
  operators: true,
})

const step = fc.record<Step>({ moment: fc.constantFrom('1', '2'), vote: fc.constantFrom('a', 'b') })
const ofSteps = (steps: readonly Step[]): Reply => ({ kind: 'value', vote: JSON.stringify(steps), steps })
/**
 * These histories may have several steps at one moment. A beginning that two histories share may thus end within a
 * moment.
 */
const histories = fc.oneof(
  { weight: 4, arbitrary: fc.array(step, { maxLength: 3 }).map(ofSteps) },
  { weight: 1, arbitrary: replies },
)
/** Every value of a history has steps. */
const hasSteps = (reply: Reply) => reply.kind !== 'value' || reply.steps !== undefined
const proofs: fc.Arbitrary<Reply> = fc.oneof(
  { weight: 4, arbitrary: replies },
  {
    weight: 1,
    arbitrary: fc.constantFrom('1', '2').map((vote): Reply => ({ kind: 'value', vote, proven: true })),
  },
)
const anyReplies = fc.oneof(histories, listReplies, proofs)

const history: Policy = { agree: 'history', patient: false }
const a: Step = { moment: '1', vote: 'a' }
const b: Step = { moment: '1', vote: 'b' }
const refused: Reply = { kind: 'refusal', vote: '404' }
const timeout: Reply = { kind: 'fault', fault: 'timeout' }
const starting: Reply = { kind: 'abstention', reason: 'starting' }

test('there is a verdict once every voter has replied', () => {
  const cases = anyElection.chain(({ electorate }) =>
    fc.tuple(fc.constant(electorate), fullHearings(electorate, anyReplies), policies),
  )
  fc.assert(
    fc.property(cases, ([electorate, heard, policy]) => {
      expect(decide(electorate, heard, policy)).toBeDefined()
    }),
    { numRuns: 1000 },
  )
})

test('if no voter votes, the verdict says whether faults or abstentions are the reason', () => {
  const mute = fc.constantFrom<Reply[]>(timeout, starting)
  const cases = elections({ rule: fPlusOne }).chain(({ electorate }) =>
    fc.tuple(fc.constant(electorate), fullHearings(electorate, mute), policies),
  )
  fc.assert(
    fc.property(cases, ([electorate, heard, policy]) => {
      const faults = heard.filter(({ kind }) => kind === 'fault').length
      const couldHave = faults >= electorate.superValidators.threshold || (policy.provable && faults > 0)
      expect(decide(electorate, heard, policy)?.kind).toBe(couldHave ? 'unreachable' : 'undecided')
    }),
    { numRuns: 500 },
  )
})

test('if one vote is enough and no voter votes, faults and abstentions are told apart', () => {
  const electorate = electorateOf(plainVoters(3), 1)
  const whole: Policy = { agree: 'whole', patient: false }
  expect(decide(electorate, [timeout, timeout, timeout], whole)?.kind).toBe('unreachable')
  expect(decide(electorate, [starting, starting, starting], whole)?.kind).toBe('undecided')
  expect(decide(electorate, [undefined, timeout, timeout], whole)).toBeUndefined()
})

test('a value that proves itself says so, in any order of replies', () => {
  const proven: Reply = { kind: 'value', vote: '2', proven: true }
  const heard: Reply[] = [{ kind: 'value', vote: '1' }, refused, proven]
  const electorate = electorateOf(plainVoters(7), 'f+1')
  const verdict = decide(electorate, [...heard, ...Array(4).fill(undefined)], {
    agree: 'whole',
    patient: false,
    provable: true,
  })
  expect(verdict).toMatchObject({ kind: 'agreed', on: 'value', vote: '2', members: [2], proven: true })
})

test('two winning values with equally many votes wait for voters that could decide between them', () => {
  const electorate = electorateOf(plainVoters(5), 2)
  const [one, two] = [
    { kind: 'value', vote: '1' },
    { kind: 'value', vote: '2' },
  ] as const
  const whole: Policy = { agree: 'whole', patient: false }
  expect(decide(electorate, [one, one, two, two, undefined], whole)).toBeUndefined()
  expect(decide(electorate, [one, one, two, two, two], whole)).toMatchObject({ kind: 'agreed', vote: '2' })
  expect(decide(electorate, [one, one, two, two, timeout], whole)).toMatchObject({ kind: 'disputed' })
})

describe('an agreed history', () => {
  test('has at least one step, and is a beginning of all its members have', () => {
    const cases = anyElection.chain(({ electorate }) =>
      fc.tuple(fc.constant(electorate), hearings(electorate, histories.filter(hasSteps))),
    )
    fc.assert(
      fc.property(cases, ([electorate, heard]) => {
        const verdict = decide(electorate, heard, history)
        if (verdict?.kind !== 'agreed' || verdict.on !== 'history') return
        expect(verdict.length).toBeGreaterThan(0)
        const said = verdict.members.map((voter) => heard[voter] as Extract<Reply, { kind: 'value' }>)
        const beginnings = said.map(({ steps }) => JSON.stringify(steps?.slice(0, verdict.length)))
        expect(new Set(beginnings).size).toBe(1)
        expect(verdict.vote).toBe(said.map(({ vote }) => vote).sort()[0])
      }),
      { numRuns: 1000 },
    )
  })

  test('is not an empty one where two histories win and a voter goes on within the moment of the longer one', () => {
    const [none, one, two] = [ofSteps([]), ofSteps([a]), ofSteps([a, b])]
    const heard = [none, none, none, one, one, one, two]
    expect(decide(electorateOf(plainVoters(7), 'f+1'), heard, history)).toMatchObject({
      kind: 'agreed',
      length: 1,
      members: [3, 4, 5],
    })
  })

  test('may still come of histories that differ, so a refusal waits for it', () => {
    const heard = [ofSteps([a]), ofSteps([a, { moment: '2', vote: 'b' }]), refused, refused, refused, timeout]
    const electorate = electorateOf(plainVoters(7), 'f+1')
    expect(decide(electorate, [...heard, undefined], history)).toBeUndefined()
    expect(decide(electorate, [...heard, timeout], history)).toMatchObject({ kind: 'agreed', on: 'refusal' })
  })

  test('comes of nothing where all were heard and the first moment is cut', () => {
    const heard = [ofSteps([a]), ofSteps([a, b]), timeout, refused]
    expect(decide(electorateOf(plainVoters(4), 'f+1'), heard, history)?.kind).not.toBe('agreed')
    expect(decide(electorateOf(plainVoters(4), 'f+1'), heard, history)).toBeDefined()
  })
})

test('of values that win, the first by rank is served once no earlier one can win, and the larger of one rank', () => {
  const value = (vote: string, rank: string): Reply => ({ kind: 'value', vote, rank })
  const ranked: Policy = { agree: 'ranked', patient: false }
  const electorate = electorateOf(plainVoters(7), 'f+1')
  const [x, y, z] = [value('x', '2'), value('y', '1'), value('z', '1')]
  const served = (...heard: Reply[]) => decide(electorate, heard, ranked)
  expect(served(x, x, x, x, y, y, y)).toMatchObject({ kind: 'agreed', vote: 'y', members: [4, 5, 6] })
  expect(served(y, y, y, x, x, x, x)).toMatchObject({ kind: 'agreed', vote: 'y', members: [0, 1, 2] })
  expect(served(z, z, z, y, y, y, y)).toMatchObject({ kind: 'agreed', vote: 'y' })
  expect(served(y, y, y, z, z, z, z)).toMatchObject({ kind: 'agreed', vote: 'z' })
})

test('texts of the super validators own neither change a verdict nor keep it from those who heard all but f', () => {
  const cases = anyElection.chain(({ electorate }) =>
    fc.tuple(
      fc.constant(electorate),
      fullHearings(electorate, replies),
      fc.array(fc.constantFrom('x', 'y', 'z'), { minLength: 7, maxLength: 7 }),
      fc.nat(electorate.superValidators.f),
    ),
  )
  fc.assert(
    fc.property(cases, ([electorate, heard, own, silent]) => {
      const plain: (Reply | undefined)[] = [...heard]
      plain.fill(undefined, 0, Math.min(silent, plain.length))
      const withOwn = plain.map((reply, voter) =>
        reply?.kind === 'value' ? { ...reply, own: own[voter] as string } : reply,
      )
      const policy: Policy = { agree: 'whole', patient: false }
      expect(decide(electorate, withOwn, policy)).toEqual(decide(electorate, plain, policy))
    }),
    { numRuns: 1000 },
  )
})

test('a value with texts of the super validators own waits for more of them, until as many give one text', () => {
  const electorate = electorateOf(plainVoters(7), 'f+1')
  const says = (own: string): Reply => ({ kind: 'value', vote: 'v', own })
  const heardOf = (text: string) => [...text].map((own) => (own === '.' ? undefined : says(own)))
  const isDecided = (text: string) =>
    decide(electorate, heardOf(text), { agree: 'whole', patient: false }) !== undefined
  expect(['xxx....', 'xyx....', 'xyxx...', 'xyz....', 'xyzw...', 'xyzwv..'].map(isDecided)).toEqual([
    true,
    false,
    true,
    false,
    false,
    true,
  ])
})
