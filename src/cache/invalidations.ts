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
   * Converts the stream position of an answer by another daemon to a point of this process.
   * Undefined if the key was invalidated after that position, or if this process cannot know.
   */
  localPointOf(key: string, position: string): InvalidationPoint | undefined
  /**
   * Whether the cache must not store an absence under this key. True for 10 s after an
   * invalidation: the name may be new, and a lagging quorum may still call it absent.
   */
  withholdsAbsence(key: string): boolean
  /**
   * Invalidates topics (`topic` in key.ts): in this process at once, in other daemons as soon as
   * they read the stream. Never throws.
   */
  invalidate(topics: readonly string[]): void
}
