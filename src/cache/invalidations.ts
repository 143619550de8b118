/** The position of one daemon in the sequence of invalidations when a load began. */
export interface InvalidationPoint {
  /** The number of invalidations that this process had seen. */
  readonly count: number
  /** The id of the last invalidation that this process had read in the shared stream. */
  readonly position: string
}

/**
 * Cache invalidation (quorum.md#invalidation). A writer that changes a name invalidates its topics. An answer
 * whose load began at an older point still reaches the callers that wait for it, but no store keeps or
 * returns it.
 */
export interface Invalidations extends AsyncDisposable {
  /** The point at which a load begins now. It stays the same object until the next invalidation. */
  readonly current: InvalidationPoint
  /** Whether no topic of this key was invalidated after `point`. */
  isCurrent(key: string, point: InvalidationPoint): boolean
  /**
   * Returns the point of an answer that another daemon stored at this position. Returns undefined if a
   * topic of the key was invalidated since, or if this daemon cannot know.
   */
  adopt(key: string, position: string): InvalidationPoint | undefined
  /** Whether an absence under this key must not be stored: for 10 s after an invalidation. */
  withholdsAbsence(key: string): boolean
  /**
   * Invalidates topics (`topic` in key.ts): at once in this process, in other daemons as soon as they read
   * the stream. Never throws.
   */
  invalidate(topics: readonly string[]): void
}
