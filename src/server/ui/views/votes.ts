import type { Votes } from '../../../base/telemetry/last-hour.ts'

const words: Readonly<Record<keyof Votes, string>> = {
  agree: 'agreed',
  dissent: 'dissented',
  unchecked: 'unchecked',
  lag: 'differed for less than a minute',
  ahead: 'ahead of the others',
  split: 'split',
  abstain: 'abstained',
  fault: 'silent',
}
const kinds = Object.keys(words) as (keyof Votes)[]

/** Formats counts of votes: `9 agreed, 1 dissented`. */
export function voteCountsInWords(votes: Votes): string {
  return kinds.flatMap((vote) => (votes[vote] === 0 ? [] : [`${votes[vote]} ${words[vote]}`])).join(', ')
}

export function total(votes: Votes): number {
  return kinds.reduce((sum, vote) => sum + votes[vote], 0)
}
