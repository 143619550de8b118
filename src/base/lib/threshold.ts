/**
 * How many voters must agree: `f+1` as Splice's reads require, `2f+1` as its governance requires,
 * or a number (quorum.md#thresholds).
 */
export type ThresholdRule = 'f+1' | '2f+1' | number

/** The size and threshold of an electorate, counted in super validators or in operators. */
export interface Count {
  /**
   * All super validators or operators, reachable or not (quorum.md#names-count-not-connections).
   */
  readonly n: number
  readonly f: number
  readonly threshold: number
}

export function tolerated(n: number): number {
  return Math.max(0, Math.floor((n - 1) / 3))
}

/**
 * Returns how many of n votes a rule requires. `2f+1` means ceil((n+f+1)/2), so that any two groups
 * of that size share an honest voter. (Splice: Thresholds.scala, governance voting threshold.)
 */
export function thresholdOf(rule: ThresholdRule, n: number): number {
  const f = tolerated(n)
  if (rule === 'f+1') return f + 1
  if (rule === '2f+1') return Math.ceil((n + f + 1) / 2)
  return rule
}

export function countOf(rule: ThresholdRule, n: number): Count {
  return { n, f: tolerated(n), threshold: thresholdOf(rule, n) }
}
