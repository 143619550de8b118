import type { Cores } from './cores.ts'

/** The settings of a measurement: the cores, the number of rounds and their length. */
export interface Bench {
  /** The cores to which processes are bound. Undefined if none is bound. */
  readonly cores: Cores | undefined
  /** The number of times that each of the two compared sides is measured. */
  readonly rounds: number
  readonly roundMs: number
  /**
   * The time for which both sides run before the first round, in milliseconds. After it, the compiler has optimised the
   * code.
   */
  readonly warmUpMs: number
}

export type Outcome = Measured | { readonly kind: 'skipped'; readonly why: string }

export interface Measured {
  readonly kind: 'measured'
  /** The number to which the limit of the row applies. */
  readonly figure: number
  /**
   * The numbers from which `figure` was computed, and other numbers of interest. The names of microseconds end in `Us`,
   * and those of milliseconds in `Ms`.
   */
  readonly detail: Readonly<Record<string, number>>
}

/** One measurement of the benchmarks. */
export interface Row {
  readonly id: string
  readonly what: string
  /** The limit for the figure. Undefined if the row has no limit. */
  readonly limit?: { readonly atLeast: number } | { readonly atMost: number }
  readonly measure: (bench: Bench) => Promise<Outcome>
}

export function isMet({ limit }: Row, figure: number): boolean {
  if (limit === undefined) return true
  return 'atLeast' in limit ? figure >= limit.atLeast : figure <= limit.atMost
}

/**
 * Returns a function that measures at its first call, and later always returns the same result. Several rows use it to
 * show different figures of one measurement.
 */
export function measuredOnce<Made>(
  measure: (bench: Bench) => Promise<Made>,
): (bench: Bench) => Promise<Made> {
  let made: Promise<Made> | undefined
  return (bench) => {
    made ??= measure(bench)
    return made
  }
}
