import { type Electorate, type Group, meets, operatorsOf } from './electorate.ts'

/** Whether a group of voters is enough for a threshold. */
export interface ThresholdStanding {
  readonly needed: number
  readonly reachable: number
  /** These count operators instead of voters. They are absent if no operators are configured. */
  readonly operators?: { readonly needed: number; readonly reachable: number }
  readonly holds: boolean
}

/** @param reachable the voters that can be asked. */
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
