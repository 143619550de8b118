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

/** One promise about speed. */
export interface Row {
  readonly id: string
  readonly what: string
  readonly limit: { readonly atLeast: number } | { readonly atMost: number }
  readonly measure: (bench: Bench) => Promise<Outcome>
}

export function isMet({ limit }: Row, figure: number): boolean {
  return 'atLeast' in limit ? figure >= limit.atLeast : figure <= limit.atMost
}
