import type { Electorate, Group, Voter } from './electorate.ts'
import type { Reply } from './reply.ts'

export interface VoteGroup {
  readonly kind: 'value' | 'refusal'
  readonly vote: string
  readonly rank: string
  readonly members: Group
}

export interface Tally {
  /**
   * Groups of equal values, largest first. Ties are sorted by vote, so that the order of arrival
   * does not matter.
   */
  readonly values: readonly VoteGroup[]
  readonly refusals: readonly VoteGroup[]
  readonly abstained: Group
  readonly faulted: Group
  readonly undecided: Group
}

/** The replies by voter index; undefined for a voter that has not replied yet. */
export type Heard = readonly (Reply | undefined)[]

export type Vote = Extract<Reply, { kind: 'value' | 'refusal' }>

export function isVote(reply: Reply | undefined): reply is Vote {
  return reply?.kind === 'value' || reply?.kind === 'refusal'
}

/**
 * Returns the reply that counts. A first vote stays; a later, different vote is evidence only
 * (quorum.md#one-vote-each).
 */
export function firstVote(earlier: Reply | undefined, later: Reply): Reply {
  return isVote(earlier) ? earlier : later
}

export function tally(electorate: Electorate, heard: Heard): Tally {
  const values: Draft[] = []
  const refusals: Draft[] = []
  const abstained: number[] = []
  const faulted: number[] = []
  const undecided: number[] = []
  for (let voter = 0; voter < electorate.voters.length; voter++) {
    const reply = heard[voter]
    if (reply === undefined) undecided.push(voter)
    else if (reply.kind === 'abstention') abstained.push(voter)
    else if (reply.kind === 'fault') faulted.push(voter)
    else groupOf(reply.kind === 'value' ? values : refusals, reply).members.push(voter)
  }
  if (values.length > 1) values.sort(bySize)
  if (refusals.length > 1) refusals.sort(bySize)
  return { values, refusals, abstained, faulted, undecided }
}

type Draft = VoteGroup & { readonly members: number[] }

function groupOf(groups: Draft[], reply: Vote): Draft {
  for (const group of groups) if (group.vote === reply.vote) return group
  const rank = reply.kind === 'value' ? (reply.rank ?? '') : ''
  const group: Draft = { kind: reply.kind, vote: reply.vote, rank, members: [] }
  groups.push(group)
  return group
}

function bySize(a: VoteGroup, b: VoteGroup): number {
  return b.members.length - a.members.length || (a.vote < b.vote ? -1 : 1)
}

/**
 * Whether the groups together reach the threshold of votes and, if configured, of operators. No
 * voter may be in two groups.
 */
export function meetThreshold(electorate: Electorate, ...groups: readonly Group[]): boolean {
  let votes = 0
  for (const { length } of groups) votes += length
  if (votes < electorate.superValidators.threshold) return false
  return (
    electorate.operators === undefined || operatorsOf(electorate, ...groups) >= electorate.operators.threshold
  )
}

/**
 * Whether at least one voter of the group is honest, if at most f are faulty. A lone voter never
 * counts as honest: with f = 0, any lone dissenter otherwise would.
 */
export function hasHonest(electorate: Electorate, group: Group): boolean {
  const { superValidators, operators } = electorate
  if (group.length < Math.max(2, superValidators.f + 1)) return false
  return operators === undefined || operatorsOf(electorate, group) > operators.f
}

export function operatorsOf(electorate: Electorate, ...groups: readonly Group[]): number {
  const operators = new Set<string>()
  for (const group of groups) {
    for (const voter of group) operators.add((electorate.voters[voter] as Voter).operator)
  }
  return operators.size
}

/**
 * Whether a single vote is enough although there are several voters (quorum.md#a-threshold-of-one).
 */
export function oneIsEnough(electorate: Electorate): boolean {
  const { voters, superValidators } = electorate
  return superValidators.threshold <= 1 && voters.length > 1 && meetThreshold(electorate, [0])
}
