import type { Random } from '../../base/lib/random.ts'
import type { Electorate, Voter } from './electorate.ts'
import { meetThreshold } from './tally.ts'

/**
 * A voter counts as equally fast as a faster one if its expected reply is at most 20 % or 5 ms
 * later, whichever is more.
 */
const equalWithin = { share: 0.2, ms: 5 }

/**
 * Orders voters by expected reply time, and shuffles equally fast voters so that they share the
 * load. If operators are configured, the fastest voters of different operators come first, as many
 * as the threshold of operators needs.
 * @param expectedMs milliseconds from now to the reply, by voter index; undefined for a voter that
 * cannot be asked.
 */
export function askingOrder(
  electorate: Electorate,
  expectedMs: readonly (number | undefined)[],
  random: Random,
): readonly number[] {
  const order = fastestFirst(expectedMs)
  for (let from = 0; from < order.length; ) {
    const end = endOfEquals(order, expectedMs, from)
    shuffle(order, from, end, random)
    from = end
  }
  return electorate.operators === undefined
    ? order
    : operatorsFirst(electorate, order, electorate.operators.threshold)
}

/**
 * Returns how many of the first voters in `order` reach the threshold if all of them agree. Returns
 * `order.length` if all of them are too few.
 */
export function winningLength(electorate: Electorate, order: readonly number[]): number {
  let length = Math.min(electorate.superValidators.threshold, order.length)
  while (length < order.length && !meetThreshold(electorate, order.slice(0, length))) length++
  return length
}

/**
 * Returns the voters that can be asked, fastest first. For so few voters, this insertion sort is
 * faster than `Array.prototype.sort`.
 */
function fastestFirst(expectedMs: readonly (number | undefined)[]): number[] {
  const order: number[] = []
  for (let voter = 0; voter < expectedMs.length; voter++) {
    const expected = expectedMs[voter]
    if (expected === undefined) continue
    let at = order.length
    for (; at > 0 && (expectedMs[order[at - 1] as number] as number) > expected; at--) {
      order[at] = order[at - 1] as number
    }
    order[at] = voter
  }
  return order
}

function endOfEquals(
  order: readonly number[],
  expectedMs: readonly (number | undefined)[],
  from: number,
): number {
  const fastest = expectedMs[order[from] as number] as number
  const latest = fastest + Math.max(equalWithin.ms, fastest * equalWithin.share)
  let end = from + 1
  while (end < order.length && (expectedMs[order[end] as number] as number) <= latest) end++
  return end
}

function shuffle(order: number[], from: number, end: number, random: Random): void {
  for (let last = end - 1; last > from; last--) {
    const drawn = from + Math.floor(random() * (last - from + 1))
    const voter = order[last] as number
    order[last] = order[drawn] as number
    order[drawn] = voter
  }
}

function operatorsFirst(electorate: Electorate, order: readonly number[], wanted: number): readonly number[] {
  const operators = new Set<string>()
  const first: number[] = []
  const rest: number[] = []
  for (const voter of order) {
    const { operator } = electorate.voters[voter] as Voter
    if (operators.size < wanted && !operators.has(operator)) {
      operators.add(operator)
      first.push(voter)
    } else {
      rest.push(voter)
    }
  }
  return [...first, ...rest]
}
