/**
 * The agreement of the super validators on an answer. The headers `x-bft-quorum` and `x-bft-agreed` tell it to
 * callers.
 */
export interface Agreement {
  /** The names of the super validators in the group that agreed, sorted by code point. */
  readonly agreed: readonly string[]
  readonly threshold: number
  /** The number of voters that were asked before the verdict. */
  readonly asked: number
  /**
   * n: the number of voters in the roster, reachable or not. Super validators that share an origin are one
   * voter.
   */
  readonly voters: number
  /** The same numbers, counted in operators, if operators are configured (quorum.md#operators-count-too). */
  readonly operators?: { readonly agreed: number; readonly threshold: number; readonly voters: number }
  /** False if only parts of the replies were agreed: items of a list, or the beginning of a history. */
  readonly complete: boolean
  /**
   * True if f faulty super validators together cannot make up the answer. False for a threshold below f+1, for
   * f = 0 and for `trust-single` (quorum.md#loud-when-unprotected).
   */
  readonly protected: boolean
}
