/** A position of this process in the sequence of invalidations, for example its position when a load began. */
export interface InvalidationPoint {
  /** The number of invalidations that this process has seen up to this position. */
  readonly count: number
  /** The id of the last invalidation that this process has read in the shared stream up to this position. */
  readonly position: string
}

/**
 * Invalidates cached answers (quorum.md#invalidation). Code that changes a name invalidates the name's
 * topics. If a load of an answer with such a topic is running at that moment, its callers still get the
 * answer. But no store keeps the answer or returns it later.
 */
export interface Invalidations extends AsyncDisposable {
  /**
   * This daemon's present position in the sequence of invalidations. The cache records it for each load that
   * begins.
   */
  readonly current: InvalidationPoint
  /** Whether no topic of this key was invalidated after `point`. */
  isCurrent(key: string, point: InvalidationPoint): boolean
  /**
   * Converts the stream position that another daemon stored with an answer into a position of this daemon. Returns
   * undefined if a topic of the key was invalidated after that position. Also returns undefined if this daemon cannot
   * know that, for example while it cannot read the stream.
   */
  adopt(key: string, position: string): InvalidationPoint | undefined
  /**
   * Whether storing an absence under this key is forbidden. True for 10 s after an invalidation of one of the
   * key's topics: the name may be new, and a quorum that lags may still report that it is absent.
   */
  withholdsAbsence(key: string): boolean
  /**
   * Invalidates topics (made by `topic` in key.ts): at once in this process, and in other daemons as soon as
   * they read the stream. Never throws.
   */
  invalidate(topics: readonly string[]): void
}
