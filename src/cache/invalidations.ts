/** A position in the sequence of invalidations: that of a daemon when a load began. */
export interface InvalidationPoint {
  /** The number of invalidations that this process had seen when the load began. */
  readonly count: number
  /** The id of the last invalidation that this process had read in the shared stream when the load began. */
  readonly position: string
}

/**
 * Invalidates cached answers (quorum.md#invalidation): code that changes a name invalidates the name's
 * topics. If a load of such an answer was running then, its callers still get the answer, but no store keeps
 * or returns it.
 */
export interface Invalidations extends AsyncDisposable {
  /**
   * This daemon's position in the sequence of invalidations, to record it for a load that begins now. It stays
   * the same object until an invalidation is made here or read from the shared stream.
   */
  readonly current: InvalidationPoint
  /** Whether no topic of this key was invalidated after `point`. */
  isCurrent(key: string, point: InvalidationPoint): boolean
  /**
   * Converts the stream position that another daemon stored with an answer into a point of this daemon.
   * Returns undefined if a topic of the key was invalidated after that position, or if this daemon cannot
   * know.
   */
  adopt(key: string, position: string): InvalidationPoint | undefined
  /**
   * Whether an absence must not be stored under this key. That is so for 10 s after an invalidation of one of
   * its topics.
   */
  withholdsAbsence(key: string): boolean
  /**
   * Invalidates topics (made by `topic` in key.ts): at once in this process, and in other daemons as soon as
   * they read the stream. Never throws.
   */
  invalidate(topics: readonly string[]): void
}
