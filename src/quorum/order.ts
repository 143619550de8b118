import type { Random } from '../lib/random.ts'
import { type Electorate, meets, type Voter } from './electorate.ts'

/**
 * Voters are equally fast if their expected reply times differ by at most this share or this many
 * milliseconds.
 */
const equalWithin = { share: 0.2, ms: 5 }

/**
 * Orders voters by expected reply time. Equally fast voters are shuffled, so that they share the load. With
 * operators, the first voters have different operators, as far as a win needs it. The order begins with
 * voters that can win together: no smaller group can win, and no other group is expected to reply sooner.
 *
 * @param expectedMs by voter index: milliseconds from now to its reply; undefined for a voter that cannot be
 * asked, which is then omitted.
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
 * The length of the shortest beginning of `order` that wins if all of it agrees; the full length if none
 * does.
 */
export function winningLength(electorate: Electorate, order: readonly number[]): number {
  let length = Math.min(electorate.superValidators.threshold, order.length)
  while (length < order.length && !meets(electorate, order.slice(0, length))) length++
  return length
}

/** Rosters are small, so insertion is faster than `sort`. */
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

/** Shuffles the entries from `from` to before `end`, in place (Fisher and Yates). */
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
