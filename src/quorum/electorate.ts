import { type Count, countOf, type ThresholdRule } from './threshold.ts'

/**
 * One vote. Super validators that publish the same origin share it (quorum.md#one-vote-each); `scan/roster.ts` finds which
 * these are.
 */
export interface Voter {
  /** Its super validators, sorted by code point. The first name identifies the voter. */
  readonly names: readonly string[]
  /** The operator that runs it; its own name if no operator claims it. */
  readonly operator: string
}

/** The voters, and how many equal votes win. */
export interface Electorate {
  readonly voters: readonly Voter[]
  readonly superValidators: Count
  /**
   * Set if operators are configured: a group then must meet both thresholds (quorum.md#operators-count-too).
   */
  readonly operators?: Count
}

/** A group of voters, by their index in `Electorate.voters`. */
export type Group = readonly number[]

/**
 * Computes thresholds over the whole roster.
 * @param operators the number of distinct operators in the roster, if operators are configured. Their
 * threshold follows the same rule over their own count, or f+1 if the rule is a number.
 */
export function electorateOf(voters: readonly Voter[], rule: ThresholdRule, operators?: number): Electorate {
  const names = voters.reduce((sum, voter) => sum + voter.names.length, 0)
  const superValidators = countOf(rule, names)
  if (operators === undefined) return { voters, superValidators }
  return { voters, superValidators, operators: countOf(typeof rule === 'number' ? 'f+1' : rule, operators) }
}

/** Whether equal votes of these groups together win. The groups must be disjoint. */
export function meets(electorate: Electorate, ...groups: readonly Group[]): boolean {
  let votes = 0
  for (const group of groups) votes += group.length
  if (votes < electorate.superValidators.threshold) return false
  return (
    electorate.operators === undefined || operatorsOf(electorate, ...groups) >= electorate.operators.threshold
  )
}

/**
 * Whether the group contains an honest voter as long as at most f are faulty, in both counts. A single voter
 * never suffices, not even if f is 0.
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

/** Whether a single vote can win although there are several voters (quorum.md#a-threshold-of-one). */
export function oneIsEnough(electorate: Electorate): boolean {
  return electorate.voters.length > 1 && meets(electorate, [0])
}
