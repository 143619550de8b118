import { type Electorate, electorateOf } from '../../../src/quorum/electorate.ts'
import type { Fanout } from '../../../src/quorum/plan.ts'
import type { Item, Reply } from '../../../src/quorum/reply.ts'
import type { Policy } from '../../../src/quorum/rules.ts'
import type { ThresholdRule } from '../../../src/quorum/threshold.ts'

/** One read to walk through: the electorate, the rules, and the replies that each voter may give. */
export interface Setting {
  readonly electorate: Electorate
  readonly policy: Policy
  readonly fanout: Fanout
  /** The voters that can be asked, in the order of asking. */
  readonly order: readonly number[]
  readonly alphabet: readonly Reply[]
  /** The numbers by which the laws count, computed without the code under test. */
  readonly needs: Needs
  readonly course: Course
}

/** The events that may happen in addition to replies and silence. */
export interface Course {
  /** A voter that was heard speaks again. */
  readonly again?: boolean
  /** A voter that was asked wants to be asked later. */
  readonly pauses?: boolean
  /** The first wave has a spare. */
  readonly spare?: boolean
}

/** The numbers of votes that win, computed by hand. */
export interface Needs {
  readonly f: number
  readonly votes: number
  readonly operators: number
}

export interface Roster {
  /**
   * A letter for the operator of each voter, in the order of asking. Voters with the same letter share an
   * operator.
   */
  readonly operators: string
  /** Whether operators are counted. */
  readonly counted: boolean
  readonly rule: ThresholdRule
  /** The number of voters that can be asked; all by default. */
  readonly reachable?: number
  /** The number of super validators at the first voter's origin; 1 by default. */
  readonly shared?: number
}

/** Returns the greatest integer below a third of `n`. */
function third(n: number): number {
  let f = 0
  while (3 * (f + 1) < n) f++
  return f
}

/** Returns the size of the smallest groups of which any two have more than f members in common. */
function smallestOverlapping(n: number): number {
  let size = 0
  while (2 * size - n <= third(n)) size++
  return size
}

function votesFor(rule: ThresholdRule, n: number): number {
  if (typeof rule === 'number') return rule
  return rule === 'f+1' ? third(n) + 1 : smallestOverlapping(n)
}

/** A kind of read: the policy of agreement, and the possible replies. */
export interface Kind {
  readonly name: string
  readonly policy: Policy
  readonly alphabet: readonly Reply[]
}

export function settingOf(
  roster: Roster,
  { policy, alphabet }: Kind,
  fanout: Fanout,
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

/** Makes a history. The moment of each step is the digit in its text. */
const history = (...steps: readonly string[]): Reply => ({
  kind: 'value',
  vote: `history ${steps.join()}`,
  steps: steps.map((step) => ({ vote: step, moment: step.slice(1) })),
})

/**
 * All policies of agreement, each with values that differ in every way that matters to it, and with all replies
 * that are no value.
 */
export const kinds: readonly Kind[] = [
  { agree: 'whole', values: [value('A'), value('B')] },
  { agree: 'ranked', values: [value('A', '2'), value('B', '1'), value('C', '1')] },
  { agree: 'items', values: [list(), list(x), list(newX), list(x, y), list(newX, y)] },
  {
    agree: 'history',
    values: [history(), history('a1'), history('a1', 'b2'), history('a1', 'b2', 'c2'), history('d1')],
  },
].flatMap(({ agree, values }) => {
  // Lists and histories have more values, so one kind of refusal keeps the walk short.
  const absences = values.length > 3 ? refusals.slice(0, 1) : refusals
  const alphabet = [...values, ...absences, ...silent]
  const kind = (patient: boolean) => ({
    name: patient ? `${agree}, patient` : agree,
    policy: { agree: agree as Policy['agree'], patient },
    alphabet,
  })
  return [kind(false), kind(true)]
})

/** A read whose answer one reply can prove. */
const provable: Kind = {
  name: 'provable',
  policy: { agree: 'whole', patient: false, provable: true },
  alphabet: [{ kind: 'value', vote: 'A', proven: true }, value('B'), value('C'), ...refusals, ...silent],
}

export const everyKind: readonly Kind[] = [...kinds, provable]

/**
 * Returns the first waves to check. A patient policy asks everyone whatever the fan-out, and where one reply
 * can be a proof there is no spare.
 */
export function wavesOf({ policy }: Kind): readonly { readonly fanout: Fanout; readonly spare: boolean }[] {
  const all = { fanout: 'all', spare: false } as const
  if (policy.patient) return [all]
  const economical = { fanout: 'economical', spare: false } as const
  const others = [economical, { fanout: 'quorum', spare: false } as const, all]
  return policy.provable === true ? others : [{ ...economical, spare: true }, ...others]
}

const letters = 'abcdefghijklm'

/** Returns rosters without operators, with every threshold up to one that cannot be met. */
export function plainRosters(n: number, rules: readonly ThresholdRule[] = upTo(n + 1)): Roster[] {
  return rules.map((rule) => ({ operators: letters.slice(0, n), counted: false, rule }))
}

/** Returns rosters for every partition of n voters, in the order of asking, into operators. */
export function groupedRosters(
  n: number,
  rules: readonly ThresholdRule[] = ['f+1', '2f+1', ...upTo(n)],
): Roster[] {
  return partitions(n).flatMap((operators) => rules.map((rule) => ({ operators, counted: true, rule })))
}

/** Returns rosters of which some voters cannot be asked. */
export function cutRosters(n: number): Roster[] {
  return upTo(n).flatMap((missing) =>
    plainRosters(n, ['f+1', '2f+1']).map((roster) => ({ ...roster, reachable: n - missing })),
  )
}

/** Returns rosters whose first voter is several super validators at one origin. */
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
