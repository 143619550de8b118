/**
 * The agreement of super validators on an answer. The headers `x-bft-quorum` and `x-bft-agreed`
 * carry the same facts.
 */
export interface Agreement {
  /** The names of the super validators in the group that agreed, sorted by code point. */
  readonly agreed: readonly string[]
  readonly threshold: number
  /**
   * The number of votes that the daemon asked for. Super validators that share a vote count as one.
   */
  readonly asked: number
  /**
   * The number of super validators that can vote, reachable or not. If several super validators
   * share a vote, each of them counts.
   */
  readonly voters: number
  /**
   * The number of operators that agreed (`agreed`), that must agree (`threshold`) and that exist
   * (`voters`). Absent if the configuration names no operators (quorum.md#operators-count-too).
   */
  readonly operators?: { readonly agreed: number; readonly threshold: number; readonly voters: number }
  /**
   * False if super validators agreed only on parts of their replies, such as some items of a list.
   */
  readonly complete: boolean
  /**
   * Whether the answer is safe from f super validators that lie together
   * (quorum.md#loud-when-unprotected). False for a threshold below f+1, for f = 0 and for
   * `trust-single`. Always true for a value whose hash is in the request, because no liar can make
   * such a value.
   */
  readonly protected: boolean
}
