import type { Electorate, Group } from './electorate.ts'
import type { Reply } from './reply.ts'

/** A group of voters with equal votes. */
export interface VoteGroup {
  readonly kind: 'value' | 'refusal'
  readonly vote: string
  readonly rank: string
  readonly members: Group
}

/** All voters, grouped by their replies. Every voter is in exactly one group. */
export interface Tally {
  /**
   * The groups of equal values, largest first. Groups of equal size are ordered by vote, so that the order of
   * replies does not matter.
   */
  readonly values: readonly VoteGroup[]
  readonly refusals: readonly VoteGroup[]
  readonly abstained: Group
  readonly faulted: Group
  /** The voters that are not asked yet, or have not replied yet. */
  readonly undecided: Group
}

/** The replies by voter index; undefined for a voter that has not replied yet. */
export type Heard = readonly (Reply | undefined)[]

export type Vote = Extract<Reply, { kind: 'value' | 'refusal' }>

/** Whether a reply is a vote: a value or a refusal. */
export function counts(reply: Reply | undefined): reply is Vote {
  return reply?.kind === 'value' || reply?.kind === 'refusal'
}

/**
 * Chooses between two replies of the same voter. The earlier reply counts if it is a vote, otherwise the
 * later one. If both are votes and differ, the later one is evidence only (quorum.md#one-vote-each).
 * @param earlier the reply that counted so far; undefined if the voter had not replied.
 */
export function firstVote(earlier: Reply | undefined, later: Reply): Reply {
  return counts(earlier) ? earlier : later
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

/**
 * Returns the group of votes that are equal to this vote. Adds an empty group to `groups` if there is no
 * such group.
 * @param groups the groups of votes of the same kind as `reply`.
 */
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
