import { type Count, countOf, type ThresholdRule } from './threshold.ts'

/**
 * One vote. Super validators that the daemon asks at the same origin share a vote (quorum.md#one-vote-each).
 * `scan/roster.ts` finds the super validators that do.
 */
export interface Voter {
  /**
   * The names of the super validators that share this vote, in ascending order (compared with `<`). The first name
   * identifies the voter.
   */
  readonly names: readonly string[]
  /**
   * Identifies the operator that runs the super validators. If none is configured for them, the text is made from the
   * name of the first of them.
   */
  readonly operator: string
}

/** The voters, and the thresholds that equal votes must reach to win. */
export interface Electorate {
  readonly voters: readonly Voter[]
  readonly superValidators: Count
  /**
   * The number of operators and their threshold; absent if no operators are configured. A group then also needs votes
   * of at least `operators.threshold` different operators (quorum.md#operators-count-too).
   */
  readonly operators?: Count
}

/** A group of voters, by their index in `Electorate.voters`. */
export type Group = readonly number[]

/**
 * Computes the electorate of these voters, with the threshold over their super validators, and the one over the
 * operators.
 * @param operators the number of different operators in the roster; undefined if no operators are configured. Their
 * threshold follows the same rule over their own count, or f+1 if the rule is a number.
 */
export function electorateOf(voters: readonly Voter[], rule: ThresholdRule, operators?: number): Electorate {
  const names = voters.reduce((sum, voter) => sum + voter.names.length, 0)
  const superValidators = countOf(rule, names)
  if (operators === undefined) return { voters, superValidators }
  return { voters, superValidators, operators: countOf(typeof rule === 'number' ? 'f+1' : rule, operators) }
}
