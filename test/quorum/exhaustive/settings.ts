import { type Electorate, electorateOf } from '../../../src/quorum/electorate.ts'
import type { Fanout } from '../../../src/quorum/plan.ts'
import type { Item, Reply } from '../../../src/quorum/reply.ts'
import type { Policy } from '../../../src/quorum/rules.ts'
import type { ThresholdRule } from '../../../src/quorum/threshold.ts'

/** One read to walk through: who votes, by which rules, and what every voter may say. */
export interface Setting {
  readonly electorate: Electorate
  readonly policy: Policy
  readonly fanout: Fanout
  /** Voters that can be asked, first ones first. */
  readonly order: readonly number[]
  readonly alphabet: readonly Reply[]
  /** The count that the laws go by, made without the code that is checked. */
  readonly needs: Needs
  readonly course: Course
}

/** What may happen beside replies and silence. */
export interface Course {
  /** A voter that was heard speaks again. */
  readonly again?: boolean
  /** A voter that was asked wants to be asked later. */
  readonly pauses?: boolean
  /** The first wave has a spare. */
  readonly spare?: boolean
}

/** How many votes win, counted by hand. */
export interface Needs {
  readonly f: number
  readonly votes: number
  readonly operators: number
}

export interface Roster {
  /** By voter, in the order of asking: a letter for its operator. Voters with one letter belong together. */
  readonly operators: string
  /** Whether operators are counted at all. */
  readonly counted: boolean
  readonly rule: ThresholdRule
  /** How many of the voters can be asked; all where it is left out. */
  readonly reachable?: number
  /** How many super validators share the first voter's origin; 1 where it is left out. */
  readonly shared?: number
}

/** The greatest number that is less than a third. */
function third(n: number): number {
  let f = 0
  while (3 * (f + 1) < n) f++
  return f
}

/** The smallest groups of which any two have more than f members in common. */
function smallestOverlapping(n: number): number {
  let size = 0
  while (2 * size - n <= third(n)) size++
  return size
}

function votesFor(rule: ThresholdRule, n: number): number {
  if (typeof rule === 'number') return rule
  return rule === 'f+1' ? third(n) + 1 : smallestOverlapping(n)
}

/** What is asked for: how votes are weighed, and what voters may say. */
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

/** The moment of each step is its digit. */
const history = (...steps: readonly string[]): Reply => ({
  kind: 'value',
  vote: `history ${steps.join()}`,
  steps: steps.map((step) => ({ vote: step, moment: step.slice(1) })),
})

/** Every way to weigh votes, with values that differ in every way that matters to it, and all that is no value. */
export const kinds: readonly Kind[] = [
  { agree: 'whole', values: [value('A'), value('B')] },
  { agree: 'ranked', values: [value('A', '2'), value('B', '1'), value('C', '1')] },
  { agree: 'items', values: [list(), list(x), list(newX), list(x, y), list(newX, y)] },
  {
    agree: 'history',
    values: [history(), history('a1'), history('a1', 'b2'), history('a1', 'b2', 'c2'), history('d1')],
  },
].flatMap(({ agree, values }) => {
  // Lists and histories differ in more ways: one kind of refusal keeps the walk short.
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

/** Whoever is patient asks everyone, whatever the fan-out; where one reply can be proof there is no spare. */
export function wavesOf({ policy }: Kind): readonly { readonly fanout: Fanout; readonly spare: boolean }[] {
  const all = { fanout: 'all', spare: false } as const
  if (policy.patient) return [all]
  const economical = { fanout: 'economical', spare: false } as const
  const others = [economical, { fanout: 'quorum', spare: false } as const, all]
  return policy.provable === true ? others : [{ ...economical, spare: true }, ...others]
}

const letters = 'abcdefghijklm'

/** Nobody's operator is counted. Every number up to one that nobody can meet; `f+1` and `2f+1` are among them. */
export function plainRosters(n: number, rules: readonly ThresholdRule[] = upTo(n + 1)): Roster[] {
  return rules.map((rule) => ({ operators: letters.slice(0, n), counted: false, rule }))
}

/** Every way in which n voters, in the order of asking, belong to operators. */
export function groupedRosters(
  n: number,
  rules: readonly ThresholdRule[] = ['f+1', '2f+1', ...upTo(n)],
): Roster[] {
  return partitions(n).flatMap((operators) => rules.map((rule) => ({ operators, counted: true, rule })))
}

/** Some of the voters cannot be asked. */
export function cutRosters(n: number): Roster[] {
  return upTo(n).flatMap((missing) =>
    plainRosters(n, ['f+1', '2f+1']).map((roster) => ({ ...roster, reachable: n - missing })),
  )
}

/** The first voter is several super validators at one origin. */
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
