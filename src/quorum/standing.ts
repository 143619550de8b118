import type { Electorate, Group } from './electorate.ts'
import { meets, operatorsOf } from './threshold-met.ts'

/**
 * Whether the voters that can be asked can reach the threshold (`holds`). `reachable` is the number of these
 * voters, and `needed` the number of equal votes that the threshold needs.
 */
export interface ThresholdStanding {
  readonly needed: number
  readonly reachable: number
  /**
   * The numbers `needed` and `reachable`, counted in operators instead of voters. Absent if no operators are
   * configured.
   */
  readonly operators?: { readonly needed: number; readonly reachable: number }
  readonly holds: boolean
}

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
