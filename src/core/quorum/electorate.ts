import { type Count, countOf, type ThresholdRule } from '../../base/lib/threshold.ts'

/**
 * One vote: that of a super validator, or of several that answer at the same origin and therefore
 * share a vote (quorum.md#one-vote-each).
 */
export interface Voter {
  /**
   * The names of the super validators that share this vote, sorted with `<`. The first name
   * identifies the voter.
   */
  readonly names: readonly string[]
  /**
   * The operator that runs these super validators. Without a configured operator, the id is made
   * from the first name.
   */
  readonly operator: string
}

export interface Electorate {
  readonly voters: readonly Voter[]
  readonly superValidators: Count
  /**
   * A winning group also needs votes of `operators.threshold` different operators
   * (quorum.md#operators-count-too). Absent if no operators are configured.
   */
  readonly operators?: Count
}

/** Voters, by their index in `Electorate.voters`. */
export type Group = readonly number[]

/**
 * Computes the thresholds of the voters. If `rule` is a number, it counts super validators only,
 * and the threshold of operators is f+1.
 * @param operators the number of different operators; undefined if no operators are configured.
 */
export function electorateOf(voters: readonly Voter[], rule: ThresholdRule, operators?: number): Electorate {
  const names = voters.reduce((sum, voter) => sum + voter.names.length, 0)
  const superValidators = countOf(rule, names)
  if (operators === undefined) return { voters, superValidators }
  return { voters, superValidators, operators: countOf(typeof rule === 'number' ? 'f+1' : rule, operators) }
}
