/** What a mutant is known by, wherever in its file it stands. */
export interface Known {
  readonly file: string
  /** The function, with what that is in. */
  readonly within: string
  readonly from: string
  /** Empty where the statement is left out. */
  readonly to: string
  /** Of several that are alike: which one, from 1. */
  readonly nth?: number
}

/** Mutants that no test can kill, because the program does the same with them, each with the reason. */
export interface Equivalent {
  readonly why: string
  readonly mutants: readonly Known[]
}

export const equivalents: readonly Equivalent[] = []
