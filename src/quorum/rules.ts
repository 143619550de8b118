import { type Electorate, type Group, meets, oneIsEnough } from './electorate.ts'
import { agreeOnItems, type ItemsOutcome } from './items.ts'
import { type Heard, type Party, type Tally, tally } from './tally.ts'
import type { Verdict } from './verdict.ts'

/** How a read's votes are weighed beyond plain equality. */
export interface Policy {
  /** `items`: lists that differ are agreed item by item. `ranked`: of values that win, the first by rank is served. */
  readonly agree: 'whole' | 'items' | 'ranked'
  /** Hear everyone before deciding, and let the largest group win only if no other wins too (quorum.md 18). */
  readonly patient: boolean
}

/** What the rules look at. */
interface Situation {
  readonly electorate: Electorate
  readonly policy: Policy
  readonly heard: Heard
  readonly tally: Tally
}

interface Rule {
  readonly name: string
  readonly when: (situation: Situation) => boolean
  /** Undefined: nothing can be said before more is heard. */
  readonly then: (situation: Situation, rule: string) => Verdict | undefined
}

const wait = () => undefined
const disputed = (_: Situation, rule: string): Verdict => ({ kind: 'disputed', rule })

/** The first row that applies decides. */
export const rules: readonly Rule[] = [
  {
    name: 'one voter is enough, and nobody who was heard said anything else',
    when: (s) =>
      !s.policy.patient &&
      oneIsEnough(s.electorate) &&
      parties(s).length === 1 &&
      s.tally.refusals.length === 0,
    then: (s, rule) => agreed(s.tally.values[0], rule),
  },
  {
    name: 'one voter would be enough, but it refused or was contradicted, so everyone is heard',
    when: (s) => oneIsEnough(s.electorate) && parties(s).length > 0 && s.tally.undecided.length > 0,
    then: wait,
  },
  {
    name: 'one voter is enough, and the largest group of those that differ wins',
    when: (s) => oneIsEnough(s.electorate) && parties(s).length > 0,
    then: (s, rule) => agreed(largestAlone(parties(s)), rule) ?? disputed(s, rule),
  },
  {
    name: 'everyone has to be heard before this is decided',
    when: (s) => s.policy.patient && s.tally.undecided.length > 0,
    then: wait,
  },
  {
    name: 'two groups of super validators both reach the threshold',
    when: (s) => s.policy.patient && winners(s, s.tally.values).length > 1,
    then: disputed,
  },
  {
    name: 'several values reach the threshold or still can, and the first of them is served',
    when: (s) =>
      s.policy.agree === 'ranked' && s.tally.values.length > 1 && winners(s, s.tally.values).length > 0,
    then: (s, rule) => firstByRank(s, rule),
  },
  {
    name: 'enough super validators gave the same value',
    when: (s) => winners(s, s.tally.values).length > 0,
    then: (s, rule) => agreed(largestAlone(winners(s, s.tally.values)), rule) ?? disputed(s, rule),
  },
  {
    name: 'enough super validators listed the same items',
    when: (s) => s.policy.agree === 'items' && enoughHeard(s) && itemsOf(s).kind !== 'none',
    then: (s, rule) => agreedItems(itemsOf(s), rule),
  },
  {
    name: 'enough super validators gave the same refusal, and no value can reach the threshold any more',
    when: (s) => winners(s, s.tally.refusals).length > 0 && !valuePossible(s),
    then: (s, rule) => agreed(largestAlone(winners(s, s.tally.refusals)), rule) ?? disputed(s, rule),
  },
  {
    name: 'a group can still reach the threshold',
    when: (s) => possible(s, s.tally.undecided),
    then: wait,
  },
  {
    name: 'nobody is left who could decide, because too many could not be reached',
    when: (s) => s.tally.faulted.length > 0 && possible(s, s.tally.faulted),
    then: (_, rule) => ({ kind: 'unreachable', rule }),
  },
  {
    name: 'nobody is left who could decide, because too many could not say yet',
    when: (s) => s.tally.abstained.length > 0 && possible(s, [...s.tally.faulted, ...s.tally.abstained]),
    then: (_, rule) => ({ kind: 'undecided', rule }),
  },
  {
    name: 'super validators gave different answers, and no group can reach the threshold any more',
    when: () => true,
    then: disputed,
  },
]

/**
 * What follows from what was heard: a verdict, or undefined while more has to be heard. The same replies in any order
 * give the same verdict.
 */
export function decide(electorate: Electorate, heard: Heard, policy: Policy): Verdict | undefined {
  const situation = { electorate, policy, heard, tally: tally(electorate, heard) }
  for (const rule of rules) {
    if (rule.when(situation)) return rule.then(situation, rule.name)
  }
  throw new Error('the last rule always applies')
}

function parties(s: Situation): readonly Party[] {
  return [...s.tally.values, ...s.tally.refusals]
}

function winners(s: Situation, among: readonly Party[]): readonly Party[] {
  return among.filter((party) => meets(s.electorate, party.members))
}

/** The largest, unless another is as large. */
function largestAlone(among: readonly Party[]): Party | undefined {
  const [first, second] = [...among].sort((a, b) => b.members.length - a.members.length)
  return second !== undefined && second.members.length === first?.members.length ? undefined : first
}

function agreed(party: Party | undefined, rule: string): Verdict | undefined {
  if (party === undefined) return undefined
  return { kind: 'agreed', on: party.kind, vote: party.vote, members: party.members, rule }
}

function agreedItems(outcome: ItemsOutcome, rule: string): Verdict | undefined {
  if (outcome.kind !== 'agreed') return undefined
  const members = [...new Set(outcome.items.flatMap((item) => item.voters))].sort((a, b) => a - b)
  return { kind: 'agreed', on: 'items', items: outcome.items, members, rule }
}

/** Waits while a value that would come before the first winner can still win. */
function firstByRank(s: Situation, rule: string): Verdict | undefined {
  const ranked = [...winners(s, s.tally.values)].sort(byRank)
  const first = ranked[0] as Party
  const { undecided } = s.tally
  if (meets(s.electorate, undecided)) return undefined
  const rival = s.tally.values.find(
    (party) => byRank(party, first) < 0 && meets(s.electorate, [...party.members, ...undecided]),
  )
  return rival === undefined ? agreed(first, rule) : undefined
}

function byRank(a: Party, b: Party): number {
  return a.rank < b.rank
    ? -1
    : a.rank > b.rank
      ? 1
      : b.members.length - a.members.length || (a.vote < b.vote ? -1 : 1)
}

/** n - f voters answered or faulted, and enough of them gave a list. */
function enoughHeard(s: Situation): boolean {
  const { voters, superValidators } = s.electorate
  return (
    voters.length - s.tally.undecided.length >= voters.length - superValidators.f &&
    meets(s.electorate, listed(s))
  )
}

function listed(s: Situation): Group {
  return s.tally.values.flatMap((party) => party.members)
}

function itemsOf(s: Situation): ItemsOutcome {
  return agreeOnItems(s.electorate, s.heard, s.tally.undecided)
}

function valuePossible(s: Situation): boolean {
  const { values, undecided } = s.tally
  if (meets(s.electorate, undecided)) return true
  if (s.policy.agree === 'items' && meets(s.electorate, [...listed(s), ...undecided])) return true
  return values.some((party) => meets(s.electorate, [...party.members, ...undecided]))
}

/** Whether some group would win if all of these joined it. */
function possible(s: Situation, joining: Group): boolean {
  if (meets(s.electorate, joining)) return true
  if (
    s.policy.agree === 'items' &&
    s.tally.undecided.length > 0 &&
    meets(s.electorate, [...listed(s), ...joining])
  )
    return true
  return parties(s).some((party) => meets(s.electorate, [...party.members, ...joining]))
}
