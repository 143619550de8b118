import type {
  AskOutcome,
  HeldUpOutcome,
  InvalidatedFrom,
  LookupResult,
  ReadLimit,
  ReadOutcome,
  Recheck,
  RedisOperation,
  RedisRefusal,
  RefreshOutcome,
  Tier,
  VoteLabel,
  WriteLabel,
} from './catalogue.ts'
import type { RouteEvents, SuperValidatorEvents } from './handles.ts'
import type { Fields } from './logger.ts'
import type { MirrorTelemetry } from './mirror-events.ts'
import type { Reachability, RosterState } from './roster-events.ts'

export type { RosterState, RouteEvents, SuperValidatorEvents }

/** Base URLs at which the daemon answers. */
export interface ListeningUrls {
  readonly http: string
  readonly operations: string
  /** On a localnet: the control address, and each super validator's URL. */
  readonly control?: string
  readonly superValidators?: Readonly<Record<string, string>>
  /** A command for a terminal: a request that this network answers. Absent while there is no roster. */
  readonly example?: string
}

/** The differences that a reload found, one sentence each. Secrets are not in them. */
export interface ConfigurationChanges {
  readonly changed: readonly string[]
  /** True if the changes are about who is trusted, such as thresholds, seeds and keys. */
  readonly changesTrust?: boolean
  /** Options that changed and apply only after a restart. */
  readonly needRestart: readonly string[]
  /** Settings that are allowed, but that the operator should know of. */
  readonly warnings: readonly string[]
}

/**
 * Reports everything that operators may want to know; each function counts and logs. None of them ever throws: a
 * failure to report becomes a metric.
 */
export interface Events {
  /**
   * Returns a handle with its counters already resolved, for frequent callers. Metrics name this super validator until
   * a new roster omits it.
   * @param host the name in Splice's metrics; the super validator's name by default.
   */
  forSuperValidator(sv: string, host?: string): SuperValidatorEvents
  scanAsked(sv: string, outcome: AskOutcome, seconds: number, read?: string): void
  /** Counts each vote once. Only `recheckFiled` reports the result of rechecking a dissent. */
  voted(sv: string, read: string, vote: VoteLabel): void
  /** Reports a dissent after its recheck (quorum.md#lag-is-not-a-lie). It counts as the vote that it was filed as. */
  recheckFiled(sv: string, read: string, filedAs: Recheck): void
  /** Reports how many dissents of this super validator still wait for their recheck. */
  dissentsPending(sv: string, count: number): void
  /**
   * Reports the verdict of a read.
   * @param seconds from the first ask to the verdict.
   */
  readSettled(read: string, outcome: ReadOutcome, seconds: number, detail?: Fields): void
  /** Reports that a read failed because the daemon was at its limit of running reads, or of requests to scans. */
  readRejected(read: string, limit: ReadLimit): void
  /** Reports a 404 with an unknown text. Only the log contains the text, cut to a maximum length. */
  unknownRefusal(read: string, sv: string, text: string): void
  evidenceKept(outcome: ReadOutcome): void

  cacheLookup(tier: Tier, result: LookupResult): void
  /** Reports whether Redis answers. The log gets a line only when the value changes. */
  redisUp(up: boolean, detail?: Fields): void
  /** A value from Redis was rejected (quorum.md#values-from-redis). */
  redisRefused(reason: RedisRefusal): void
  /** Redis rejected a command or did not answer in time. */
  redisFailed(operation: RedisOperation): void
  /** Reports that a refresh failed, so that the stale answer stays in the cache. */
  refreshFailed(read: string, error: unknown, requestId?: string): void
  /** Cached answers were invalidated because names changed (quorum.md#invalidation). */
  invalidated(from: InvalidatedFrom, topics: number): void
  /**
   * Whether the daemon receives the invalidations of other daemons. While it does not, it ignores the answers that they
   * stored.
   */
  invalidationsFollowed(heard: boolean): void

  /** Reports that an agreed answer was older than one served before (quorum.md#never-back), and what came of it. */
  heldUp(read: string, outcome: HeldUpOutcome, detail?: Fields): void
  /** The file of the rollback guard was damaged and has another name now. */
  floorFileSetAside(why: string, path: string): void
  /** Whether changes reach the file of the rollback guard. Called at the start and on changes. */
  floorFileWritable(isWritable: boolean, error?: unknown): void

  ledgerWritten(outcome: WriteLabel): void

  readonly mirror: MirrorTelemetry

  /** The trace collector did not take `count` spans. */
  spansLost(count: number, why: string): void

  rosterTaken(roster: RosterState): void
  reachabilityChanged(reachability: Reachability): void
  /** The roster file cannot be written, or is not used. That is no failed refresh. */
  rosterFileFailed(problem: 'not-written' | 'not-used', why: string): void
  /** `held`: the new set is accepted only if the next refresh returns it again. */
  rosterRefreshed(outcome: RefreshOutcome, why?: string): void
  /**
   * An attempt to agree on the first roster failed.
   * @param said the number of scans by what they said, such as `{ refused: 12, 'timed-out': 1 }`.
   */
  rosterMissing(why: string, said: Readonly<Record<string, number>>): void
  seedAnswered(seed: string, answer: string, detail?: Fields): void

  /** Returns a handle with its counters already resolved, for frequent callers. */
  forRoute(route: string): RouteEvents
  missLimited(): void

  listening(addresses: ListeningUrls): void
  configurationReloaded(changes: ConfigurationChanges): void
  /** A reload failed, and the configuration is the one before. */
  configurationKept(problems: readonly string[]): void
  /**
   * @param reason the name of the signal, if one arrived.
   * @param requestsInProgress how many requests have begun and have no whole answer yet.
   */
  shuttingDown(reason: string, requestsInProgress: number): void
  /**
   * Everything is closed. No further event follows.
   * @param ms since `shuttingDown`.
   * @param requestsCut how many requests had begun and got no whole answer.
   */
  stopped(ms: number, requestsCut: number): void
  /** Drops the summary that would be written later. */
  close(): void
}
