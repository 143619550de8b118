/** The position of one daemon in the sequence of invalidations when a load began. */
export interface Generation {
  /** The number of invalidations that this process had seen. */
  readonly count: number
  /** The id of the last invalidation that this process had read in the shared stream. */
  readonly position: string
}

/**
 * Cache invalidation (quorum.md#invalidation). A writer that changes a name invalidates its topics. An answer
 * that was loaded under an older generation still reaches the callers that wait for it, but no store keeps or
 * returns it.
 */
export interface Generations extends AsyncDisposable {
  /** The generation of a load that begins now. It stays the same object until the next invalidation. */
  readonly current: Generation
  /** False once a topic of this key was invalidated after `generation`. */
  isCurrent(key: string, generation: Generation): boolean
  /**
   * Returns the generation of an answer that another daemon stored at this position. Returns undefined if a
   * topic of the key was invalidated since, or if this daemon cannot know.
   */
  adopt(key: string, position: string): Generation | undefined
  /** Whether an absence under this key must not be stored: for 10 s after an invalidation. */
  withholdsAbsence(key: string): boolean
  /**
   * Invalidates topics (`topic` in key.ts): at once in this process, in other daemons as soon as they read
   * the stream. Never throws.
   */
  raise(topics: readonly string[]): void
}
