import type { Votes } from '../../telemetry/last-hour.ts'

const words: Readonly<Record<keyof Votes, string>> = {
  agree: 'agreed',
  dissent: 'dissented',
  unchecked: 'unchecked',
  lag: 'difference that ended',
  split: 'split',
  abstain: 'abstained',
  fault: 'silent',
}
const kinds = Object.keys(words) as (keyof Votes)[]

/** Formats counts of votes: `9 agreed, 1 dissented`. */
export function said(votes: Votes): string {
  return kinds.flatMap((vote) => (votes[vote] === 0 ? [] : [counted(vote, votes[vote])])).join(', ')
}

function counted(vote: keyof Votes, times: number): string {
  return vote === 'lag' && times > 1 ? `${times} differences that ended` : `${times} ${words[vote]}`
}

export function total(votes: Votes): number {
  return kinds.reduce((sum, vote) => sum + votes[vote], 0)
}
