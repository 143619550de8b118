/** The super validators that agreed on an answer, for the `x-bft-quorum` and `x-bft-agreed` headers. */
export interface Agreement {
  /** Names of the super validators in the winning group, sorted by code point. */
  readonly agreed: readonly string[]
  readonly threshold: number
  /** How many voters were asked before the verdict. */
  readonly asked: number
  /** n: the number of super validators in the roster, reachable or not. */
  readonly voters: number
  /** Set if operators are configured (quorum.md#operators-count-too). */
  readonly operators?: { readonly agreed: number; readonly threshold: number; readonly voters: number }
  /** False if only parts of the replies were agreed: items of a list, or the beginning of a history. */
  readonly complete: boolean
  /**
   * True if f faulty super validators cannot make up the answer. False for a threshold below f+1, for f = 0
   * and for `trust-single` (quorum.md#loud-when-unprotected).
   */
  readonly protected: boolean
}
