import type { RouteEvents, SuperValidatorEvents } from './handles.ts'
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
} from './label-values.ts'
import type { Fields } from './logger.ts'
import type { MirrorTelemetry } from './mirror-events.ts'
import type { Reachability, RosterState } from './roster-events.ts'
import type { SplitViewTelemetry } from './split-view-events.ts'

export type { RosterState, RouteEvents, SuperValidatorEvents }

/** The content of the log line `listening`: the base URLs of the daemon, and its most important settings. */
export interface ListeningUrls {
  readonly http: string
  readonly operations: string
  readonly network: string
  /**
   * The value of `scanClient.threshold`. If `scanClient.scanType` is `trust-single`, this is `trust-single`
   * instead, because the daemon then believes one scan without a vote.
   */
  readonly threshold: string | number
  /**
   * The party id of the DSO that the configuration requires (`scanClient.dsoPartyId`). Absent if the option is not set.
   */
  readonly dsoPartyId?: string
  readonly configurationFiles?: readonly string[]
  /**
   * The control address of a localnet, at which its faults can be set. `superValidators` has the URL of each scan.
   * Both are absent on other networks.
   */
  readonly control?: string
  readonly superValidators?: Readonly<Record<string, string>>
  /**
   * A shell command for people to try, with a request that this network can answer. Absent while there is no
   * roster.
   */
  readonly example?: string
}

/** The changes from a reload of the configuration. Secrets are left out. */
export interface ConfigurationChanges {
  /** A sentence for each option that changed and applies now. */
  readonly changed: readonly string[]
  /**
   * Whether a change affects who is trusted, for example the thresholds, the seeds or the keys of tokens.
   * False by default.
   */
  readonly changesTrust?: boolean
  /** The names of the options that changed and apply only after a restart. */
  readonly needRestart: readonly string[]
  /** A sentence for each option whose value in a file has no effect, because a variable or a flag overrides it. */
  readonly overridden?: readonly string[]
  /** A sentence for each setting that is permitted but risky. */
  readonly warnings: readonly string[]
}

/**
 * Reports every event that operators may want to know. Each method counts its event in metrics, writes to the
 * log, or both, and never throws. If the reporting itself fails, the metric `telemetry_failures_total`
 * increases.
 */
export interface Events {
  /**
   * Returns an object that reports the events of this super validator. Frequent callers should keep the
   * object, because it looks up each counter only once. Metrics name this super validator until a new roster
   * omits it.
   * @param host the name of the super validator in Splice's metrics; by default its name in the roster.
   */
  forSuperValidator(sv: string, host?: string): SuperValidatorEvents
  /**
   * Reports a request that asks a scan for the roster. Once a roster is in force, only requests to its
   * members count.
   */
  scanAsked(sv: string, outcome: AskOutcome, seconds: number, read?: string): void
  /**
   * Counts one vote of a super validator. Dissenting votes are not counted here: after the recheck of the
   * dissent, `recheckFiled` counts them.
   */
  voted(sv: string, read: string, vote: VoteLabel): void
  /**
   * Reports the result of rechecking a dissent (quorum.md#lag-is-not-a-lie), and counts the vote with this
   * result as its label.
   * @param agoMs how long ago the vote was, in milliseconds; 0 by default.
   */
  recheckFiled(sv: string, read: string, filedAs: Recheck, agoMs?: number): void
  /** Reports how many dissents of this super validator await their recheck. */
  dissentsPending(sv: string, count: number): void
  /**
   * Reports the verdict of a read.
   * @param seconds the time from the first ask to the verdict.
   */
  readSettled(read: string, outcome: ReadOutcome, seconds: number, detail?: Fields): void
  /**
   * Reports that a read failed because the daemon reached its limit of running reads, or of requests to
   * scans.
   */
  readRejected(read: string, limit: ReadLimit): void
  /**
   * Reports a 404 whose error message the table of reads does not list as an absence. Such a reply is not a
   * vote. The message goes only to the log, and is shortened.
   */
  unknownRefusal(read: string, sv: string, text: string): void
  evidenceKept(outcome: ReadOutcome): void

  cacheLookup(tier: Tier, result: LookupResult): void
  /** Reports whether Redis answers. The log gets a line only when the value changes. */
  redisUp(up: boolean, detail?: Fields): void
  /** Reports that the daemon rejected a value from Redis (quorum.md#values-from-redis). */
  redisRefused(reason: RedisRefusal): void
  /** Reports that Redis rejected a command, did not answer it in time, or closed the connection. */
  redisFailed(operation: RedisOperation): void
  /** Reports that the refresh of a stale answer failed. The stale answer stays in the cache. */
  refreshFailed(read: string, error: unknown, requestId?: string): void
  /** Reports that cached answers were invalidated because names changed (quorum.md#invalidation). */
  invalidated(from: InvalidatedFrom, topics: number): void
  /**
   * Reports whether the daemon receives the invalidations of other daemons. While it receives none, it
   * ignores answers that other daemons cached.
   */
  invalidationsFollowed(heard: boolean): void

  /**
   * Reports that an agreed answer was older than an answer that was served before (quorum.md#never-back), and
   * what the daemon did about it.
   */
  heldUp(read: string, outcome: HeldUpOutcome, detail?: Fields): void
  /** Reports that the file of the rollback guard was damaged, and that the daemon renamed it to `path`. */
  floorFileSetAside(why: string, path: string): void
  /**
   * Reports whether the daemon can write the file of the rollback guard: once at the start, and whenever that
   * changes.
   */
  floorFileWritable(isWritable: boolean, error?: unknown): void
  /**
   * Reports that another daemon uses the file of the rollback guard. This daemon takes the file over when the
   * other daemon ends.
   */
  floorFileInUse(): void

  ledgerWritten(outcome: WriteLabel): void

  readonly mirror: MirrorTelemetry
  readonly splitView: SplitViewTelemetry

  /** Reports that the trace collector did not accept `count` spans. */
  spansLost(count: number, why: string): void

  rosterTaken(roster: RosterState): void
  reachabilityChanged(reachability: Reachability): void
  /**
   * Reports a problem with the roster file. `not-written`: the daemon could not write the file. `not-used`:
   * the daemon does not use the content of the file, and asks the seeds. Neither problem makes a refresh of
   * the roster fail.
   */
  rosterFileFailed(problem: 'not-written' | 'not-used', why: string): void
  /**
   * Reports a refresh of the roster. `held`: the new roster differs so much that the daemon accepts it only
   * if the next refresh returns the same roster (quorum.md#refreshes).
   */
  rosterRefreshed(outcome: RefreshOutcome, why?: string): void
  /**
   * Reports that an attempt to agree on the first roster failed.
   * @param said how many scans had each outcome, such as `{ refused: 12, 'timed-out': 1 }`.
   */
  rosterMissing(why: string, said: Readonly<Record<string, number>>): void
  seedAnswered(seed: string, answer: string, detail?: Fields): void

  /**
   * Returns an object that reports the events of this route. Frequent callers should keep the object, because
   * it looks up each counter only once.
   */
  forRoute(route: string): RouteEvents
  missLimited(): void
  /**
   * Reports that an answer was sent without the receipt that the caller wanted, because too many receipts
   * waited or the thread that signs them failed.
   */
  receiptNotMade(): void
  /** Reports that the JSON Ledger API refused a call without a usable token. */
  ledgerCallRefused(
    cause: 'no token' | 'empty token' | 'too long a token',
    requestId: string | undefined,
  ): void
  /** Reports that the daemon refused an admin call, because `operations.admin` is not true. */
  adminCallRefused(call: string, from: string | undefined): void

  /**
   * Reports that a thread of this daemon ended unexpectedly or did not start. The next work for the thread
   * starts it again.
   */
  threadFailed(thread: 'judge' | 'receipts' | 'observations', why: Error): void

  listening(addresses: ListeningUrls): void
  configurationReloaded(changes: ConfigurationChanges): void
  /** Reports that a reload failed, so that the daemon keeps its configuration. */
  configurationKept(problems: readonly string[]): void
  /**
   * Reports that the shutdown begins.
   * @param reason the name of the signal, or `asked to` if the program itself stops the daemon.
   * @param requestsInProgress how many requests have begun and are not answered completely.
   */
  shuttingDown(reason: string, requestsInProgress: number): void
  /**
   * Reports that everything is closed. No further event follows.
   * @param ms milliseconds since `shuttingDown`.
   * @param requestsCut how many requests had begun but were never answered completely.
   */
  stopped(ms: number, requestsCut: number): void
  /** Cancels the next summary line of the log, and discards the counts for it. */
  close(): void
}
