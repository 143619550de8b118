import type { Cores } from './cores.ts'

/** Where and how long to measure. */
export interface Bench {
  /** Undefined: nothing is bound to a core. */
  readonly cores: Cores | undefined
  /** How often each of two contenders has its turn. */
  readonly rounds: number
  readonly roundMs: number
  /** Before the first round, for the compiler. */
  readonly warmUpMs: number
}

export type Outcome =
  | {
      readonly kind: 'measured'
      /** What the limit is about. */
      readonly figure: number
      /** What it was made of, and what else is good to know; microseconds end in `Us`, milliseconds in `Ms`. */
      readonly detail: Readonly<Record<string, number>>
    }
  | { readonly kind: 'skipped'; readonly why: string }

/** One thing that is measured. */
export interface Row {
  readonly id: string
  readonly what: string
  /** The row promises that its figure keeps to this; undefined where it promises nothing. */
  readonly limit?: { readonly atLeast: number } | { readonly atMost: number }
  readonly measure: (bench: Bench) => Promise<Outcome>
}

export function isMet({ limit }: Row, figure: number): boolean {
  if (limit === undefined) return true
  return 'atLeast' in limit ? figure >= limit.atLeast : figure <= limit.atMost
}

/** For rows that show figures of one measurement: the first of them makes it. */
export function measuredOnce<Made>(
  measure: (bench: Bench) => Promise<Made>,
): (bench: Bench) => Promise<Made> {
  let made: Promise<Made> | undefined
  return (bench) => {
    made ??= measure(bench)
    return made
  }
}
