import { type Count, countOf, type ThresholdRule } from './threshold.ts'

/**
 * One voter: a super validator, or several that the daemon asks at the same origin and that share one vote
 * (quorum.md#one-vote-each). `scan/roster.ts` finds super validators with the same origin.
 */
export interface Voter {
  /**
   * The names of the super validators that share this vote, in ascending order (compared with `<`). The first name
   * identifies the voter.
   */
  readonly names: readonly string[]
  /**
   * The id of the operator that runs these super validators. If no operator is configured for them, the id is
   * made from the name of the first super validator.
   */
  readonly operator: string
}

/** The voters, and the thresholds that equal votes must reach to win. */
export interface Electorate {
  readonly voters: readonly Voter[]
  readonly superValidators: Count
  /**
   * The number of operators and their threshold. If present, a group of equal votes also needs votes of at
   * least `operators.threshold` different operators (quorum.md#operators-count-too). Absent if no operators
   * are configured.
   */
  readonly operators?: Count
}

/** A group of voters, by their index in `Electorate.voters`. */
export type Group = readonly number[]

/**
 * Computes the thresholds for these voters: one counted in super validators and, if operators are configured,
 * one counted in operators. The rule applies to both. But if the rule is a number, the threshold of operators
 * is f+1.
 * @param operators the number of different operators in the roster; undefined if no operators are configured.
 */
export function electorateOf(voters: readonly Voter[], rule: ThresholdRule, operators?: number): Electorate {
  const names = voters.reduce((sum, voter) => sum + voter.names.length, 0)
  const superValidators = countOf(rule, names)
  if (operators === undefined) return { voters, superValidators }
  return { voters, superValidators, operators: countOf(typeof rule === 'number' ? 'f+1' : rule, operators) }
}
