import type { Electorate } from './electorate.ts'
import type { Step } from './reply.ts'
import { meets } from './threshold-met.ts'

/** The first `length` elements of a history. The histories of all `voters` begin with these elements. */
export interface Prefix {
  readonly length: number
  readonly voters: readonly number[]
}

/**
 * Finds the longest beginning that the histories of enough voters share. A beginning never ends between two
 * elements of the same moment (quorum.md#the-beginning-of-a-history).
 *
 * @param histories the history of each voter, by voter index; undefined for a voter that sent no history.
 * @returns the number of agreed elements (0 if there is no such beginning), and the voters whose histories
 * begin with these elements.
 */
export function longestPrefix(
  electorate: Electorate,
  histories: readonly (readonly Step[] | undefined)[],
): Prefix {
  const givers = histories.flatMap((history, voter) => (history === undefined ? [] : [voter]))
  let longest: Prefix = { length: 0, voters: givers }
  const carried = [longest]
  for (let prefix = carried.pop(); prefix !== undefined; prefix = carried.pop()) {
    if (isPreferred(prefix, longest, histories) && endsMoment(histories, prefix)) longest = prefix
    carried.push(...continued(electorate, histories, prefix))
  }
  return longest
}

/**
 * Whether beginning `a` is preferred to beginning `b`. The longer one is preferred; of equally long ones, the
 * one with more voters. If the numbers of voters are equal too, the elements decide, so that the result does
 * not depend on the order of the voters.
 */
function isPreferred(a: Prefix, b: Prefix, histories: readonly (readonly Step[] | undefined)[]): boolean {
  if (a.length !== b.length) return a.length > b.length
  if (a.voters.length !== b.voters.length) return a.voters.length > b.voters.length
  const textOf = ({ length, voters: [voter = 0] }: Prefix) =>
    (histories[voter] ?? []).slice(0, length).map(stepId).join()
  return textOf(a) < textOf(b)
}

/**
 * Returns the beginnings that extend this one by one element and are still shared by enough voters for the
 * threshold. There can be more than one only if the threshold is at most half the voters.
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
    .filter((group) => meets(electorate, group))
    .map((group) => ({ length: length + 1, voters: group }))
}

/**
 * Whether this beginning of the history includes all steps of its last moment. True if, in the history of each of
 * these voters, the next step has another moment or does not exist.
 */
function endsMoment(
  histories: readonly (readonly Step[] | undefined)[],
  { length, voters }: Prefix,
): boolean {
  const moment = histories[voters[0] as number]?.[length - 1]?.moment
  return voters.every((voter) => histories[voter]?.[length]?.moment !== moment)
}

/**
 * Whether some beginning of a history could reach the threshold if all voters in `joining` sent that
 * beginning too.
 */
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
  return first.values().some((group) => meets(electorate, group, joining))
}

function stepId({ moment, vote }: Step): string {
  return `${moment.length} ${moment} ${vote}`
}
