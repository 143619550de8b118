/** The agreement of the super validators on an answer, as the headers `x-bft-quorum` and `x-bft-agreed` report it. */
export interface Agreement {
  /** The names of the super validators in the group that agreed, sorted by code point. */
  readonly agreed: readonly string[]
  readonly threshold: number
  /**
   * The number of voters that were asked before the verdict. Super validators that share a vote count as one.
   */
  readonly asked: number
  /**
   * n: the number of super validators in the roster, reachable or not. Super validators that share a vote
   * each count.
   */
  readonly voters: number
  /**
   * The numbers of operators that agreed (`agreed`), that had to agree (`threshold`), and that are in the
   * roster (`voters`). Absent if no operators are configured (quorum.md#operators-count-too).
   */
  readonly operators?: { readonly agreed: number; readonly threshold: number; readonly voters: number }
  /**
   * Whether the super validators agreed on whole replies. False if they agreed only on parts of them: on items of a
   * list, or on the beginning of a history.
   */
  readonly complete: boolean
  /**
   * Whether the answer is safe from f super validators that lie together, because it needed more than f equal votes.
   * False for a threshold below f+1, for f = 0 and for `trust-single` (quorum.md#loud-when-unprotected). Always true
   * for a value whose hash is in the request, because no liar can make such a value.
   */
  readonly protected: boolean
}
