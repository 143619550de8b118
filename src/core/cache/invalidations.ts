/**
 * A place in the sequence of invalidations that this process has seen. A load remembers the place
 * at which it began.
 */
export interface InvalidationPoint {
  readonly count: number
  readonly position: string
}

/**
 * Invalidates cached answers (quorum.md#invalidation). If a load of such an answer is running, its
 * callers still get the answer, but no store keeps it.
 */
export interface Invalidations extends AsyncDisposable {
  readonly current: InvalidationPoint
  isCurrent(key: string, point: InvalidationPoint): boolean
  /**
   * Converts a position in the Redis stream, at which a daemon loaded an answer, to a point of this
   * process. Returns undefined if the key was invalidated after that position, or if this process
   * cannot know.
   */
  localPointOf(key: string, position: string): InvalidationPoint | undefined
  /**
   * Whether the cache must not store an absence under this key. True for 10 s after an
   * invalidation: the name may be new, and a lagging quorum may still call it absent.
   */
  withholdsAbsence(key: string): boolean
  /**
   * Invalidates topics (`topic` in key.ts) in this process at once. If daemons share a Redis, each
   * other daemon follows as soon as it reads the Redis stream. Never throws.
   */
  invalidate(topics: readonly string[]): void
  /** Invalidates all that this process has stored. Other daemons do not hear of it. */
  forgetHere(): void
}
