/** The statement that an answer from the mirror makes (docs/mirror.md#claims). */
export type MirrorClaim =
  /** A quorum gave this entry. Its owner, url and description cannot change before it expires. */
  | 'binding'
  /** The ledger's state at the record time, absences and lists included. */
  | 'state'

/** Where an answer from the mirror comes from: a snapshot, a live read since, or the stream of updates. */
export type MirrorBasis = 'snapshot' | 'live' | 'stream'

/** The content of the header `x-bft-as-of`, for an answer that no super validator was asked for. */
export interface AsOf {
  /** The record time at which the answer was true: milliseconds since 1970. */
  readonly at: number
  readonly claim: MirrorClaim
  readonly basis: MirrorBasis
  /** Counts the sets that the mirror took, across restarts. */
  readonly generation: number
}
