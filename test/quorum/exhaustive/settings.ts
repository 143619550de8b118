import type { ThresholdRule } from '../../../src/base/lib/threshold.ts'
import { type Electorate, electorateOf } from '../../../src/core/quorum/electorate.ts'
import type { FanoutMode } from '../../../src/core/quorum/plan.ts'
import type { Item, Reply } from '../../../src/core/quorum/reply.ts'
import type { Policy } from '../../../src/core/quorum/rules.ts'

/** The subject of one walk of `walk.ts`. Each voter may give the replies of `alphabet`. */
export interface Setting {
  readonly electorate: Electorate
  readonly policy: Policy
  readonly fanout: FanoutMode
  /** The voters that can be asked, in the order of asking. */
  readonly order: readonly number[]
  readonly alphabet: readonly Reply[]
  readonly needs: Needs
  readonly course: Course
}

/** The events that may happen besides replies and silence. */
export interface Course {
  /** Whether a voter that has replied may reply again. */
  readonly again?: boolean
  /** Whether a voter that was asked may request a pause. After the pause, the voter is asked again. */
  readonly pauses?: boolean
  readonly spare?: boolean
}

/** The numbers that a vote needs to win, computed without the code under test. */
export interface Needs {
  readonly f: number
  readonly votes: number
  readonly operators: number
}

export interface Roster {
  /** One letter for each voter, in the order of asking. Voters with the same letter have the same operator. */
  readonly operators: string
  /** Whether votes are counted by operator too. */
  readonly counted: boolean
  readonly rule: ThresholdRule
  /** The number of voters that can be asked. By default, all of them can. */
  readonly reachable?: number
  /** The number of super validators that share one origin, so that together they are the first voter. 1 by default. */
  readonly shared?: number
}

/** Returns f: the greatest integer below a third of `n`. */
function third(n: number): number {
  let f = 0
  while (3 * (f + 1) < n) f++
  return f
}

/** Returns the smallest size for which any two groups of that size have more than f of the `n` voters in common. */
function smallestOverlapping(n: number): number {
  let size = 0
  while (2 * size - n <= third(n)) size++
  return size
}

function votesFor(rule: ThresholdRule, n: number): number {
  if (typeof rule === 'number') return rule
  return rule === 'f+1' ? third(n) + 1 : smallestOverlapping(n)
}

export interface Kind {
  readonly name: string
  readonly policy: Policy
  readonly alphabet: readonly Reply[]
}

export function settingOf(
  roster: Roster,
  { policy, alphabet }: Kind,
  fanout: FanoutMode,
  course: Course = {},
): Setting {
  const { operators, counted, rule, reachable = operators.length, shared = 1 } = roster
  const voters = [...operators].map((operator, index) => ({
    names: Array.from({ length: index === 0 ? shared : 1 }, (_, at) => `sv-${index}-${at}`),
    operator,
  }))
  const n = voters.length + shared - 1
  const companies = new Set(operators).size
  const needs = {
    f: third(n),
    votes: votesFor(rule, n),
    operators: counted ? votesFor(typeof rule === 'number' ? 'f+1' : rule, companies) : 0,
  }
  const electorate = electorateOf(voters, rule, counted ? companies : undefined)
  const order = [...voters.keys()].slice(0, reachable)
  return { electorate, policy, fanout, order, alphabet, needs, course }
}

const refusals: readonly Reply[] = [
  { kind: 'refusal', vote: 'R' },
  { kind: 'refusal', vote: 'S' },
]
const silent: readonly Reply[] = [
  { kind: 'abstention', reason: 'starting' },
  { kind: 'fault', fault: 'server-error' },
]

const value = (vote: string, rank?: string): Reply =>
  rank === undefined ? { kind: 'value', vote } : { kind: 'value', vote, rank }

const x: Item = { key: 'x', vote: 'x1', later: '1' }
const newX: Item = { key: 'x', vote: 'x2', later: '2' }
const y: Item = { key: 'y', vote: 'y1', later: '1' }
const list = (...items: readonly Item[]): Reply => ({
  kind: 'value',
  vote: `[${items.map((item) => item.vote).join()}]`,
  items,
})

/** Makes a value that is a history. Each text is a step. The digit in the text is the moment of the step. */
const history = (...steps: readonly string[]): Reply => ({
  kind: 'value',
  vote: `history ${steps.join()}`,
  steps: steps.map((step) => ({ vote: step, moment: step.slice(1) })),
})

const reached: Kind = {
  name: 'reached',
  policy: { agree: 'reached', patient: false },
  alphabet: [
    ...['1', '2', '3'].map((time): Reply => ({ kind: 'value', vote: `at ${time}`, time })),
    ...refusals,
    ...silent,
  ],
}

/**
 * All policies of agreement but `reached`, each with and without patience. The values of a policy differ in every way that matters to
 * that policy.
 */
export const kinds: readonly Kind[] = [
  { agree: 'whole', values: [value('A'), value('B')] },
  { agree: 'ranked', values: [value('A', '2'), value('B', '1'), value('C', '1')] },
  { agree: 'items', values: [list(), list(x), list(newX), list(x, y), list(newX, y)] },
  {
    agree: 'history',
    values: [
      history(),
      history('a1'),
      history('a1', 'd1'),
      history('a1', 'b2'),
      history('a1', 'b2', 'c2'),
      history('d1'),
    ],
  },
].flatMap(({ agree, values }) => {
  // Lists and histories have more values, so they get only one refusal. With more replies, the walk would take too
  // long.
  const absences = values.length > 3 ? refusals.slice(0, 1) : refusals
  const alphabet = [...values, ...absences, ...silent]
  const kind = (patient: boolean) => ({
    name: patient ? `${agree}, patient` : agree,
    policy: { agree: agree as Policy['agree'], patient },
    alphabet,
  })
  return [kind(false), kind(true)]
})

const provable: Kind = {
  name: 'provable',
  policy: { agree: 'whole', patient: false, provable: true },
  alphabet: [{ kind: 'value', vote: 'A', proven: true }, value('B'), value('C'), ...refusals, ...silent],
}

export const everyKind: readonly Kind[] = [...kinds, provable, reached]

/**
 * Returns the first waves to check:
 * - A policy that is patient or about times asks every voter whatever the fan-out is, so `all` is enough.
 * - If one reply can be a proof, the first wave never has a spare.
 */
export function wavesOf({
  policy,
}: Kind): readonly { readonly fanout: FanoutMode; readonly spare: boolean }[] {
  const all = { fanout: 'all', spare: false } as const
  if (policy.patient || policy.agree === 'reached') return [all]
  const economical = { fanout: 'economical', spare: false } as const
  const others = [economical, { fanout: 'quorum', spare: false } as const, all]
  return policy.provable === true ? others : [{ ...economical, spare: true }, ...others]
}

const letters = 'abcdefghijklm'

/**
 * Returns one roster without operators for each threshold. By default, the highest threshold is one that n votes do not
 * meet.
 */
export function plainRosters(n: number, rules: readonly ThresholdRule[] = upTo(n + 1)): Roster[] {
  return rules.map((rule) => ({ operators: letters.slice(0, n), counted: false, rule }))
}

/** Returns rosters with every distribution of n voters over operators, one for each threshold. */
export function groupedRosters(
  n: number,
  rules: readonly ThresholdRule[] = ['f+1', '2f+1', ...upTo(n)],
): Roster[] {
  return partitions(n).flatMap((operators) => rules.map((rule) => ({ operators, counted: true, rule })))
}

export function cutRosters(n: number): Roster[] {
  return upTo(n).flatMap((missing) =>
    plainRosters(n, ['f+1', '2f+1']).map((roster) => ({ ...roster, reachable: n - missing })),
  )
}

export function sharedRosters(n: number): Roster[] {
  return [2, 3].flatMap((shared) => plainRosters(n, ['f+1', '2f+1']).map((roster) => ({ ...roster, shared })))
}

export function upTo(n: number): number[] {
  return Array.from({ length: n }, (_, index) => index + 1)
}

function partitions(n: number): string[] {
  if (n === 0) return ['']
  return partitions(n - 1).flatMap((first) => {
    const used = new Set(first).size
    return [...letters.slice(0, used + 1)].map((next) => first + next)
  })
}
