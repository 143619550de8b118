import type { Electorate, Group } from './electorate.ts'
import { longestPrefix, type Prefix, prefixCanWin } from './history.ts'
import { agreeOnItems, type ItemsOutcome, itemCanWin, type Versions, versionsOf } from './items.ts'
import type { Reply } from './reply.ts'
import {
  type Heard,
  meetThreshold,
  oneIsEnough,
  type Tally,
  tally,
  type Vote,
  type VoteGroup,
} from './tally.ts'
import type { Verdict } from './verdict.ts'

export interface Policy {
  /**
   * The way in which replies agree:
   * - `whole`: only if they are equal.
   * - `items`: item by item, in a list without order.
   * - `ranked`: of several values that reach the threshold, the first by rank is served.
   * - `history`: of several shared beginnings that reach the threshold, the longest is served.
   * - `reached`: the latest time is served that enough voters state, or a later one.
   */
  readonly agree: 'whole' | 'items' | 'ranked' | 'history' | 'reached'
  /**
   * Whether to wait for all replies. The read is then disputed if two groups reach the threshold
   * (quorum.md#refreshes).
   */
  readonly patient: boolean
  /** Whether the request contains a cryptographic hash. One value with that hash is then enough. */
  readonly provable?: boolean
}

export interface Situation {
  readonly electorate: Electorate
  readonly policy: Policy
  readonly tally: Tally
  /**
   * Returns the versions of each item in the voters' lists. They are computed on the first call,
   * because rules need them only if lists differ.
   */
  readonly versions: () => Versions
  /**
   * Returns the longest beginning that enough histories share. It is computed on the first call,
   * because rules need it only if histories differ.
   */
  readonly prefix: () => Prefix
  readonly heard: Heard
}

interface VerdictRule {
  readonly name: string
  readonly when: (situation: Situation) => boolean
  readonly then: (situation: Situation, rule: string) => Verdict | undefined
}

const wait = () => undefined
const disputed = (_: Situation, rule: string): Verdict => ({ kind: 'disputed', rule })
/**
 * The verdict for groups of equal size. While replies are outstanding, one of the groups may still
 * become the largest. After that, the read is disputed.
 */
const tie = (s: Situation, rule: string) => (s.tally.undecided.length > 0 ? undefined : disputed(s, rule))
const unreachable = (_: Situation, rule: string): Verdict => ({ kind: 'unreachable', rule })

export const rules: readonly VerdictRule[] = [
  {
    name: 'everyone has to be heard before this is decided',
    when: (s) => s.policy.patient && s.tally.undecided.length > 0,
    then: wait,
  },
  {
    name: 'two groups of super validators both reach the threshold',
    when: (s) => s.policy.patient && winners(s, groups(s)).length > 1,
    then: disputed,
  },
  {
    name: 'all but f were heard, and this is the latest time that enough super validators have reached',
    when: (s) => isTime(s) && !manyUndecided(s) && latestReached(s) !== undefined,
    then: (s, rule) => agreed(latestReached(s), rule),
  },
  {
    name: 'one value has the hash that was asked for',
    when: (s) => provenVote(s) !== undefined,
    then: (s, rule) => {
      const { vote, members } = s.tally.values.find((group) => group.vote === provenVote(s)) as VoteGroup
      return { kind: 'agreed', on: 'value', vote, members, rule, proven: true }
    },
  },
  {
    name: 'one voter is enough, and nobody who was heard said anything else',
    when: (s) => oneDecides(s) && s.tally.values.length === 1 && s.tally.refusals.length === 0,
    then: (s, rule) => agreed(s.tally.values[0], rule),
  },
  {
    name: 'one voter would be enough, but it refused or was contradicted, so everyone is heard',
    when: (s) => oneDecides(s) && anyVote(s) && s.tally.undecided.length > 0,
    then: wait,
  },
  {
    name: 'one voter is enough, and the largest group of those that differ wins',
    when: (s) => oneDecides(s) && anyVote(s),
    then: (s, rule) => agreed(largestAlone(groups(s)), rule) ?? disputed(s, rule),
  },
  {
    name: 'several values reach the threshold or still can, and the first of them is served',
    when: (s) => s.policy.agree === 'ranked' && s.tally.values.length > 1 && hasWinner(s, s.tally.values),
    then: (s, rule) => firstByRank(s, rule),
  },
  {
    name: 'several pages of a history reach the threshold, and the longest beginning is served',
    when: (s) => s.policy.agree === 'history' && winners(s, s.tally.values).length > 1,
    then: agreedHistory,
  },
  {
    name: 'enough super validators gave the same value, and all but f are heard for what they give differently in it',
    when: differsInOwnTexts,
    then: wait,
  },
  {
    name: 'enough super validators gave the same value',
    when: (s) => !isTime(s) && hasWinner(s, s.tally.values),
    then: (s, rule) => agreed(largestAlone(winners(s, s.tally.values)), rule) ?? tie(s, rule),
  },
  {
    name: 'enough super validators listed the same items',
    when: (s) => s.policy.agree === 'items' && enoughHeard(s) && itemsOf(s).kind !== 'none',
    then: (s, rule) => agreedItems(itemsOf(s), rule),
  },
  {
    name: 'enough super validators gave the same beginning of the history',
    when: (s) => s.policy.agree === 'history' && enoughHeard(s) && s.prefix().length > 0,
    then: agreedHistory,
  },
  {
    name: 'enough super validators gave the same refusal, and no value can reach the threshold any more',
    when: (s) => hasWinner(s, s.tally.refusals) && !valueCanWin(s, s.tally.undecided),
    then: (s, rule) => agreed(largestAlone(winners(s, s.tally.refusals)), rule) ?? tie(s, rule),
  },
  {
    name: 'a group can still reach the threshold',
    when: (s) => canWin(s, s.tally.undecided),
    then: wait,
  },
  {
    name: 'nobody is left who could decide, because too many could not be reached',
    when: (s) => canWin(s, [...s.tally.undecided, ...s.tally.faulted]),
    then: unreachable,
  },
  {
    name: 'nobody is left who could decide, because too many could not say yet',
    when: (s) => canWin(s, [...s.tally.undecided, ...s.tally.faulted, ...s.tally.abstained]),
    then: (_, rule) => ({ kind: 'undecided', rule }),
  },
  {
    name: 'the roster has fewer votes than the threshold asks for',
    when: (s) => !meetThreshold(s.electorate, [...s.electorate.voters.keys()]),
    then: unreachable,
  },
  {
    name: 'super validators gave different answers, and no group can reach the threshold any more',
    when: () => true,
    then: disputed,
  },
]

/**
 * Returns the verdict that the replies allow; undefined if more are needed. The order of arrival
 * does not matter.
 */
export function decide(electorate: Electorate, heard: Heard, policy: Policy): Verdict | undefined {
  return judge(situationOf(electorate, heard, policy))
}

export function situationOf(electorate: Electorate, heard: Heard, policy: Policy): Situation {
  let versions: Versions | undefined
  let prefix: Prefix | undefined
  return {
    electorate,
    policy,
    tally: tally(electorate, heard),
    versions: () => (versions ??= versionsOf(heard)),
    prefix: () => (prefix ??= longestPrefix(electorate, historiesIn(heard))),
    heard,
  }
}

export function judge(situation: Situation): Verdict | undefined {
  for (const { when, name, then } of rules) if (when(situation)) return then(situation, name)
  throw new Error('the last rule always applies')
}

/**
 * Whether any value, item or beginning of a history would reach the threshold if all voters in
 * `joining` gave it too.
 * @param joining voters that have given no value so far.
 */
export function valueCanWin(s: Situation, joining: Group): boolean {
  const { electorate, policy, tally } = s
  if (meetThreshold(electorate, joining)) return true
  if (tally.values.some((group) => meetThreshold(electorate, group.members, joining))) return true
  if (isTime(s)) return meetThreshold(electorate, ...tally.values.map(({ members }) => members), joining)
  if (policy.agree === 'items') return itemCanWin(electorate, s.versions(), joining)
  if (policy.agree !== 'history') return false
  if (joining.length === 0) return s.prefix().length > 0
  return prefixCanWin(electorate, historiesIn(s.heard), joining)
}

/**
 * Whether any group would reach the threshold if all voters in `joining` joined it. If a hash was
 * asked for, one joining voter is enough: it may send the value with that hash.
 */
function canWin(s: Situation, joining: Group): boolean {
  if (s.policy.provable === true && joining.length > 0) return true
  return (
    valueCanWin(s, joining) ||
    s.tally.refusals.some((group) => meetThreshold(s.electorate, group.members, joining))
  )
}

/**
 * Whether a value has the threshold, but not with the same texts of the super validators' own, and
 * more than f voters have not replied.
 */
export function differsInOwnTexts(s: Situation): boolean {
  if (!manyUndecided(s)) return false
  return winners(s, s.tally.values).some(({ members }) => {
    const byText = Map.groupBy(members, (voter) => ownOf(s.heard[voter]))
    return byText.size > 1 && !byText.values().some((group) => meetThreshold(s.electorate, group))
  })
}

function ownOf(reply: Reply | undefined): string | undefined {
  return reply?.kind === 'value' ? reply.own : undefined
}

function provenVote({ policy, heard }: Situation): string | undefined {
  if (policy.provable !== true) return undefined
  const proven = heard.find((reply) => reply?.kind === 'value' && reply.proven === true)
  return proven?.kind === 'value' ? proven.vote : undefined
}

function anyVote({ tally: { values, refusals } }: Situation): boolean {
  return values.length + refusals.length > 0
}

function groups(s: Situation): readonly VoteGroup[] {
  return [...s.tally.values, ...s.tally.refusals]
}

function winners(s: Situation, among: readonly VoteGroup[]): readonly VoteGroup[] {
  return among.filter((group) => meetThreshold(s.electorate, group.members))
}

function hasWinner(s: Situation, among: readonly VoteGroup[]): boolean {
  return among.some((group) => meetThreshold(s.electorate, group.members))
}

function largestAlone(among: readonly VoteGroup[]): VoteGroup | undefined {
  const [first, second] = [...among].sort((a, b) => b.members.length - a.members.length)
  return second !== undefined && second.members.length === first?.members.length ? undefined : first
}

function agreed(group: VoteGroup | undefined, rule: string): Verdict | undefined {
  if (group === undefined) return undefined
  return { kind: 'agreed', on: group.kind, vote: group.vote, members: group.members, rule }
}

function agreedItems(outcome: ItemsOutcome, rule: string): Verdict | undefined {
  if (outcome.kind !== 'agreed') return undefined
  const members = [...new Set(outcome.items.flatMap((item) => item.voters))].sort((a, b) => a - b)
  return { kind: 'agreed', on: 'items', items: outcome.items, members, rule }
}

function agreedHistory(s: Situation, rule: string): Verdict | undefined {
  const { length, voters } = s.prefix()
  const votes = voters.map((voter) => (s.heard[voter] as Vote).vote)
  const [vote] = votes.sort() as [string]
  return { kind: 'agreed', on: 'history', vote, length, members: voters, rule }
}

function historiesIn(heard: Heard) {
  return heard.map((reply) => (reply?.kind === 'value' ? reply.steps : undefined))
}

/**
 * Returns the verdict for the first value by rank that reaches the threshold. Returns undefined
 * while a value of an earlier rank, even an unseen one, can still reach the threshold.
 */
function firstByRank(s: Situation, rule: string): Verdict | undefined {
  const ranked = [...winners(s, s.tally.values)].sort(byRank)
  const first = ranked[0] as VoteGroup
  const { undecided } = s.tally
  if (meetThreshold(s.electorate, undecided)) return undefined
  const rival = s.tally.values.find(
    (group) => byRank(group, first) < 0 && meetThreshold(s.electorate, [...group.members, ...undecided]),
  )
  return rival === undefined ? agreed(first, rule) : undefined
}

function byRank(a: VoteGroup, b: VoteGroup): number {
  if (a.rank === b.rank) return 0
  return a.rank < b.rank ? -1 : 1
}

function isTime({ policy }: Situation): boolean {
  return policy.agree === 'reached'
}

/** Times mostly differ, so a difference between them makes no majority necessary. */
function oneDecides(s: Situation): boolean {
  return !isTime(s) && oneIsEnough(s.electorate)
}

function manyUndecided({ electorate, tally: { undecided } }: Situation): boolean {
  return undecided.length > electorate.superValidators.f
}

/**
 * Returns the latest time that enough voters have reached. The members of its group have all voters
 * that state this time or a later one.
 */
function latestReached({ electorate, tally: { values }, heard }: Situation): VoteGroup | undefined {
  const timeOf = ({ members: [first] }: VoteGroup) => timeIn(heard[first ?? 0])
  const members: number[] = []
  for (const group of [...values].sort((a, b) => (timeOf(a) < timeOf(b) ? 1 : -1))) {
    members.push(...group.members)
    if (meetThreshold(electorate, members)) return { ...group, members: members.sort((a, b) => a - b) }
  }
  return undefined
}

function timeIn(reply: Reply | undefined): string {
  return reply?.kind === 'value' ? (reply.time ?? '') : ''
}

/**
 * Whether at most f voters have not replied, and enough voters for the threshold gave values, equal
 * or not.
 */
function enoughHeard(s: Situation): boolean {
  if (manyUndecided(s)) return false
  return meetThreshold(s.electorate, ...s.tally.values.map((group) => group.members))
}

function itemsOf(s: Situation): ItemsOutcome {
  return agreeOnItems(s.electorate, s.versions(), s.tally.undecided)
}
