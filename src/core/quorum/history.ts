import type { Electorate } from './electorate.ts'
import type { Step } from './reply.ts'
import { meetThreshold } from './tally.ts'

export interface Prefix {
  readonly length: number
  readonly voters: readonly number[]
}

/**
 * Finds the longest beginning that enough voters' histories share, and after which none of these
 * voters goes on within the same moment. A voter that does is left out of that group, so that one
 * liar that adds an element shortens nothing (quorum.md#the-beginning-of-a-history).
 * @param histories the history of each voter, by voter index; undefined for a voter that sent none.
 */
export function longestPrefix(
  electorate: Electorate,
  histories: readonly (readonly Step[] | undefined)[],
): Prefix {
  const givers = histories.flatMap((history, voter) => (history === undefined ? [] : [voter]))
  let longest: Prefix = { length: 0, voters: givers }
  const carried = [longest]
  for (let prefix = carried.pop(); prefix !== undefined; prefix = carried.pop()) {
    const ended = { ...prefix, voters: prefix.voters.filter((voter) => endsMoment(histories[voter], prefix)) }
    if (meetThreshold(electorate, ended.voters) && isPreferred(ended, longest, histories)) longest = ended
    carried.push(...continued(electorate, histories, prefix))
  }
  return longest
}

/**
 * The longer beginning is preferred, then the one with more voters. The texts break a tie, so that
 * the order of the voters does not matter.
 */
function isPreferred(a: Prefix, b: Prefix, histories: readonly (readonly Step[] | undefined)[]): boolean {
  if (a.length !== b.length) return a.length > b.length
  if (a.voters.length !== b.voters.length) return a.voters.length > b.voters.length
  const textOf = ({ length, voters: [voter = 0] }: Prefix) =>
    (histories[voter] ?? []).slice(0, length).map(stepId).join()
  return textOf(a) < textOf(b)
}

/**
 * Returns the beginnings that are one element longer and still shared by enough voters. There can
 * be several only if the threshold is at most half the voters.
 */
function continued(
  electorate: Electorate,
  histories: readonly (readonly Step[] | undefined)[],
  { length, voters }: Prefix,
): Prefix[] {
  const groups = new Map<string, number[]>()
  for (const voter of voters) {
    const step = histories[voter]?.[length]
    if (step === undefined) continue
    const id = stepId(step)
    const group = groups.get(id)
    if (group === undefined) groups.set(id, [voter])
    else group.push(voter)
  }
  return [...groups.values()]
    .filter((group) => meetThreshold(electorate, group))
    .map((group) => ({ length: length + 1, voters: group }))
}

function endsMoment(history: readonly Step[] | undefined, { length }: Prefix): boolean {
  return history?.[length]?.moment !== history?.[length - 1]?.moment
}

export function prefixCanWin(
  electorate: Electorate,
  histories: readonly (readonly Step[] | undefined)[],
  joining: readonly number[],
): boolean {
  const first = new Map<string, number[]>()
  histories.forEach((history, voter) => {
    const step = history?.[0]
    if (step === undefined) return
    const id = stepId(step)
    const group = first.get(id)
    if (group === undefined) first.set(id, [voter])
    else group.push(voter)
  })
  return first.values().some((group) => meetThreshold(electorate, group, joining))
}

function stepId({ moment, vote }: Step): string {
  return `${moment.length} ${moment} ${vote}`
}
