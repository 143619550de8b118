import { type Count, countOf, type ThresholdRule } from './threshold.ts'

/**
 * One vote. Super validators that publish the same origin share a vote (quorum.md#one-vote-each);
 * `scan/roster.ts` finds out which these are.
 */
export interface Voter {
  /**
   * The names of the super validators that share this vote, sorted by code point. The first name identifies
   * the voter.
   */
  readonly names: readonly string[]
  /**
   * The operator that runs the super validators. If none is configured for them, a text made of the name of the first
   * one.
   */
  readonly operator: string
}

/** The voters, and the thresholds that equal votes must reach to win. */
export interface Electorate {
  readonly voters: readonly Voter[]
  readonly superValidators: Count
  /**
   * The number of operators and their threshold, if operators are configured. A group must then also have
   * votes of that many operators (quorum.md#operators-count-too).
   */
  readonly operators?: Count
}

/** A group of voters, by their index in `Electorate.voters`. */
export type Group = readonly number[]

/**
 * Computes the thresholds of an electorate: over all super validators of the voters, and over the operators.
 * @param operators the number of distinct operators in the roster; undefined if no operators are configured. Their
 * threshold follows the same rule over their own count, or f+1 if the rule is a number.
 */
export function electorateOf(voters: readonly Voter[], rule: ThresholdRule, operators?: number): Electorate {
  const names = voters.reduce((sum, voter) => sum + voter.names.length, 0)
  const superValidators = countOf(rule, names)
  if (operators === undefined) return { voters, superValidators }
  return { voters, superValidators, operators: countOf(typeof rule === 'number' ? 'f+1' : rule, operators) }
}

/** Whether these groups together have enough votes for the threshold. The groups must be disjoint. */
export function meets(electorate: Electorate, ...groups: readonly Group[]): boolean {
  const votes = groups.reduce((sum, { length }) => sum + length, 0)
  if (votes < electorate.superValidators.threshold) return false
  return (
    electorate.operators === undefined || operatorsOf(electorate, ...groups) >= electorate.operators.threshold
  )
}

/**
 * Whether the group certainly contains an honest voter, if at most f super validators are faulty, and at most f
 * operators where operators are configured. A single voter is never enough: otherwise, with f = 0, every lone
 * dissenter would count as honest.
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

/** Whether a single vote is enough although there are several voters (quorum.md#a-threshold-of-one). */
export function oneIsEnough(electorate: Electorate): boolean {
  const { voters, superValidators } = electorate
  return superValidators.threshold <= 1 && voters.length > 1 && meets(electorate, [0])
}
