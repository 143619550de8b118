import type { Electorate, Group } from '../core/quorum/electorate.ts'
import { meetThreshold, operatorsOf } from '../core/quorum/tally.ts'

export interface ThresholdStanding {
  readonly needed: number
  readonly reachable: number
  readonly operators?: { readonly needed: number; readonly reachable: number }
  readonly holds: boolean
}

export function standingOf(electorate: Electorate, reachable: Group): ThresholdStanding {
  const found = {
    needed: electorate.superValidators.threshold,
    reachable: reachable.length,
    holds: meetThreshold(electorate, reachable),
  }
  if (electorate.operators === undefined) return found
  const { threshold: needed } = electorate.operators
  return { ...found, operators: { needed, reachable: operatorsOf(electorate, reachable) } }
}
