import type { Random } from '../lib/random.ts'
import { type Electorate, meets, type Voter } from './electorate.ts'

/**
 * A random order of the voters that can be asked, those of greater weight earlier on average (Efraimidis and
 * Spirakis, "Weighted random sampling with a reservoir"), arranged so that its shortest winning beginning is as
 * short as any: with operators, the first ones are of different operators.
 *
 * @param weights by voter index, above 0; 0 for a voter that cannot be asked, which is then left out.
 */
export function drawOrder(
  electorate: Electorate,
  weights: readonly number[],
  random: Random,
): readonly number[] {
  const order: number[] = []
  const keys: number[] = []
  weights.forEach((weight, voter) => {
    if (weight > 0) insert(voter, -Math.log(1 - random()) / weight, order, keys)
  })
  return electorate.operators === undefined
    ? order
    : operatorsFirst(electorate, order, electorate.operators.threshold)
}

/** Both lists stay in the order of the keys. A roster is too small for anything cleverer to be faster. */
function insert(voter: number, key: number, order: number[], keys: number[]): void {
  let at = keys.length
  for (; at > 0 && (keys[at - 1] as number) > key; at--) {
    keys[at] = keys[at - 1] as number
    order[at] = order[at - 1] as number
  }
  keys[at] = key
  order[at] = voter
}

/** The length of the shortest beginning of `order` that could win if all of it agreed; all of it where none could. */
export function winningLength(electorate: Electorate, order: readonly number[]): number {
  let length = Math.min(electorate.superValidators.threshold, order.length)
  while (length < order.length && !meets(electorate, order.slice(0, length))) length++
  return length
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
