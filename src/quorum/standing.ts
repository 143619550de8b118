import { type Electorate, type Group, meets, operatorsOf } from './electorate.ts'

/** Whether a group of voters is enough for a threshold, and by how much. */
export interface ThresholdStanding {
  readonly needed: number
  readonly reachable: number
  /** The same numbers, counted in operators instead of voters. Absent if no operators are configured. */
  readonly operators?: { readonly needed: number; readonly reachable: number }
  readonly holds: boolean
}

/**
 * Tells whether the voters that can be asked are enough for the threshold.
 * @param reachable the voters that can be asked.
 */
export function standingOf(electorate: Electorate, reachable: Group): ThresholdStanding {
  const found = {
    needed: electorate.superValidators.threshold,
    reachable: reachable.length,
    holds: meets(electorate, reachable),
  }
  if (electorate.operators === undefined) return found
  const { threshold: needed } = electorate.operators
  return { ...found, operators: { needed, reachable: operatorsOf(electorate, reachable) } }
}
