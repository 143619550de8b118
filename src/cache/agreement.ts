/**
 * How the super validators agreed on an answer. The headers `x-bft-quorum` and `x-bft-agreed` tell it to
 * callers.
 */
export interface Agreement {
  /** The names of the super validators in the group that agreed, sorted by code point. */
  readonly agreed: readonly string[]
  readonly threshold: number
  /** How many voters were asked before the verdict. */
  readonly asked: number
  /** n: the number of super validators in the roster, reachable or not. */
  readonly voters: number
  /** The same numbers, counted in operators, if operators are configured (quorum.md#operators-count-too). */
  readonly operators?: { readonly agreed: number; readonly threshold: number; readonly voters: number }
  /** False if only parts of the replies were agreed: items of a list, or the beginning of a history. */
  readonly complete: boolean
  /**
   * Whether f faulty super validators alone cannot make up the answer. False for a threshold below f+1, for f
   * = 0 and for `trust-single` (quorum.md#loud-when-unprotected).
   */
  readonly protected: boolean
}
