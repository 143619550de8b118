/**
 * The promise that comes with an answer from the mirror, the daemon's own copy of the names
 * (docs/mirror.md#claims).
 */
export type MirrorClaim =
  /**
   * The answer is an entry that a quorum gave: owner, url and description stay the same until the
   * entry expires.
   */
  | 'binding'
  /**
   * The answer was true on the ledger at the record time `AsOf.at`. It may be an absence or a list.
   */
  | 'state'

/**
 * The source of the mirrored entry: a snapshot of the ledger, a later live read, or the stream of
 * updates.
 */
export type MirrorBasis = 'snapshot' | 'live' | 'stream'

export interface AsOf {
  /** The record time on the ledger at which the answer was true, in milliseconds since 1970. */
  readonly at: number
  readonly claim: MirrorClaim
  readonly basis: MirrorBasis
  /**
   * The number of the mirrored set of names; each new set has the next number. With `mirror.file`,
   * a restart does not reset the number.
   */
  readonly generation: number
}
