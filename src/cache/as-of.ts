/** The certainty of an answer from the mirror (docs/mirror.md#claims). */
export type MirrorClaim =
  /**
   * The answer is an entry that a quorum gave. Its owner, url and description cannot change before it
   * expires.
   */
  | 'binding'
  /** The answer was true on the ledger at the record time `AsOf.at`. It may be an absence or a list. */
  | 'state'

/** The source from which the mirror got an answer: a snapshot, a later live read, or the stream of updates. */
export type MirrorBasis = 'snapshot' | 'live' | 'stream'

/**
 * The time and the source of an answer from the mirror. No super validator was asked for it. The header `x-bft-as-of`
 * reports both.
 */
export interface AsOf {
  /** The record time at which the answer was true, in milliseconds since 1970. */
  readonly at: number
  readonly claim: MirrorClaim
  readonly basis: MirrorBasis
  /**
   * Identifies the set of names that the mirror holds: a number that grows by one with each new set. With
   * `mirror.file`, a restart does not reset it.
   */
  readonly generation: number
}
