import type { Cores } from './cores.ts'

/** The terms of a measurement: its cores, and how long it takes. */
export interface Bench {
  /** The cores to which processes are bound. Undefined if none is bound. */
  readonly cores: Cores | undefined
  /** The number of times that each of the two compared parties is measured. */
  readonly rounds: number
  readonly roundMs: number
  /**
   * The time for which both run before the first round, in milliseconds, so that the compiler has optimised the code.
   */
  readonly warmUpMs: number
}

export type Outcome =
  | {
      readonly kind: 'measured'
      /** The number to which the limit of the row applies. */
      readonly figure: number
      /**
       * The numbers from which `figure` was computed, and others of interest. Microseconds end in `Us`,
       * milliseconds in `Ms`.
       */
      readonly detail: Readonly<Record<string, number>>
    }
  | { readonly kind: 'skipped'; readonly why: string }

/** A measurement that the benchmarks make. */
export interface Row {
  readonly id: string
  readonly what: string
  /** The limit that the figure must respect; absent if there is none. */
  readonly limit?: { readonly atLeast: number } | { readonly atMost: number }
  readonly measure: (bench: Bench) => Promise<Outcome>
}

export function isMet({ limit }: Row, figure: number): boolean {
  if (limit === undefined) return true
  return 'atLeast' in limit ? figure >= limit.atLeast : figure <= limit.atMost
}

/**
 * Returns a function that measures at its first call, and then always returns the same result. It is for
 * several rows that show figures of one measurement.
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
