/** How many must agree: Splice's read rule, Splice's governance rule, or a number (quorum.md#thresholds). */
export type ThresholdRule = 'f+1' | '2f+1' | number

/** The electorate of one kind: super validators, or operators. */
export interface Count {
  /** Everyone in the roster, reachable or not (quorum.md#names-count-not-connections). */
  readonly n: number
  /** Faulty ones tolerated. */
  readonly f: number
  /** Equal votes that win. */
  readonly threshold: number
}

/** f of n: floor((n-1)/3), never negative. */
export function tolerated(n: number): number {
  return Math.max(0, Math.floor((n - 1) / 3))
}

/**
 * `2f+1` stands for ceil((n+f+1)/2), which is 2f+1 when n = 3f+1: any two groups of that size share an honest
 * member (Splice: Thresholds.scala, governance voting threshold).
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
