/** The claim of an answer from the mirror (docs/mirror.md#claims). */
export type MirrorClaim =
  /**
   * The answer is an entry that a quorum gave. Its owner, url and description cannot change before it
   * expires.
   */
  | 'binding'
  /** The answer is the state of the ledger at the record time. It may be an absence or a list. */
  | 'state'

/** The source from which the mirror got an answer: a snapshot, a later live read, or the stream of updates. */
export type MirrorBasis = 'snapshot' | 'live' | 'stream'

/**
 * Describes an answer from the mirror, for which no super validator was asked. It is the content of the
 * header `x-bft-as-of`.
 */
export interface AsOf {
  /** The record time at which the answer was true, in milliseconds since 1970. */
  readonly at: number
  readonly claim: MirrorClaim
  readonly basis: MirrorBasis
  /** The number of the mirror's set of names. It grows by one with each further set, across restarts. */
  readonly generation: number
}
