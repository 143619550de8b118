import type { Electorate, Group } from './electorate.ts'
import type { Reply } from './reply.ts'

/** Voters that said the same. */
export interface Party {
  readonly kind: 'value' | 'refusal'
  readonly vote: string
  readonly rank: string
  readonly members: Group
}

/** Where everyone stands. Every voter is in exactly one place. */
export interface Tally {
  /** Largest first; equal sizes by vote, so that the order of replies changes nothing. */
  readonly values: readonly Party[]
  readonly refusals: readonly Party[]
  readonly abstained: Group
  readonly faulted: Group
  /** Not asked yet, or not heard yet. */
  readonly undecided: Group
}

/** What each voter said, by its index; undefined where nothing was heard. */
export type Heard = readonly (Reply | undefined)[]

/** A voter's vote is its first countable reply: a later different one is evidence, never a vote (quorum.md 2). */
export function counts(reply: Reply | undefined): boolean {
  return reply !== undefined && (reply.kind === 'value' || reply.kind === 'refusal')
}

export function tally(electorate: Electorate, heard: Heard): Tally {
  const parties = new Map<string, { kind: Party['kind']; vote: string; rank: string; members: number[] }>()
  const abstained: number[] = []
  const faulted: number[] = []
  const undecided: number[] = []
  for (let voter = 0; voter < electorate.voters.length; voter++) {
    const reply = heard[voter]
    if (reply === undefined) undecided.push(voter)
    else if (reply.kind === 'abstention') abstained.push(voter)
    else if (reply.kind === 'fault') faulted.push(voter)
    else {
      const key = `${reply.kind} ${reply.vote}`
      const party = parties.get(key)
      if (party !== undefined) party.members.push(voter)
      else {
        const rank = reply.kind === 'value' ? (reply.rank ?? '') : ''
        parties.set(key, { kind: reply.kind, vote: reply.vote, rank, members: [voter] })
      }
    }
  }
  const sorted = [...parties.values()].sort(bySize)
  return {
    values: sorted.filter((party) => party.kind === 'value'),
    refusals: sorted.filter((party) => party.kind === 'refusal'),
    abstained,
    faulted,
    undecided,
  }
}

function bySize(a: Party, b: Party): number {
  return b.members.length - a.members.length || compare(a.vote, b.vote)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
