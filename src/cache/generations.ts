/** Where one daemon stood among the raises when a load began. */
export interface Generation {
  /** How many raises this process had heard. */
  readonly count: number
  /** The id of the last raise that it had read in the stream that daemons share. */
  readonly position: string
}

/**
 * Which keys something newer is known about than what may be kept under them (quorum.md#invalidation). Who changes a
 * name raises its topics; what was loaded under an older generation is then answered to those who waited, and neither
 * kept nor given out by any store.
 */
export interface Generations extends AsyncDisposable {
  /** The generation of a load that begins now. The same object until something is raised. */
  readonly current: Generation
  /** False once a topic of this key was raised since `generation`. */
  isCurrent(key: string, generation: Generation): boolean
  /**
   * The generation of what another daemon stored at this position; undefined where a topic of the key was raised since,
   * or where this daemon cannot know.
   */
  adopt(key: string, position: string): Generation | undefined
  /** Whether an absence under this key is not to be kept: for 10 s after a raise. */
  withholdsAbsence(key: string): boolean
  /** Raises topics (`topic` in key.ts): here at once, on the other daemons as soon as they hear of it. Never throws. */
  raise(topics: readonly string[]): void
}
