import type { Electorate, Group, Voter } from './electorate.ts'

/**
 * Whether the groups together reach the threshold of votes and, if configured, of operators. No
 * voter may be in two groups.
 */
export function meetThreshold(electorate: Electorate, ...groups: readonly Group[]): boolean {
  const votes = groups.reduce((sum, { length }) => sum + length, 0)
  if (votes < electorate.superValidators.threshold) return false
  return (
    electorate.operators === undefined || operatorsOf(electorate, ...groups) >= electorate.operators.threshold
  )
}

/**
 * Whether at least one voter of the group is honest, if at most f are faulty. A lone voter never
 * counts as honest: with f = 0, any lone dissenter otherwise would.
 */
export function hasHonest(electorate: Electorate, group: Group): boolean {
  const { superValidators, operators } = electorate
  if (group.length < Math.max(2, superValidators.f + 1)) return false
  return operators === undefined || operatorsOf(electorate, group) > operators.f
}

export function operatorsOf(electorate: Electorate, ...groups: readonly Group[]): number {
  const operators = new Set<string>()
  for (const group of groups) {
    for (const voter of group) operators.add((electorate.voters[voter] as Voter).operator)
  }
  return operators.size
}

/**
 * Whether a single vote is enough although there are several voters (quorum.md#a-threshold-of-one).
 */
export function oneIsEnough(electorate: Electorate): boolean {
  const { voters, superValidators } = electorate
  return superValidators.threshold <= 1 && voters.length > 1 && meetThreshold(electorate, [0])
}
