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
import type { SplitViewTelemetry } from './split-view-events.ts'

export type { RosterState, RouteEvents, SuperValidatorEvents }

/** The content of the log line `listening`: the base URLs of the daemon, and the settings that matter most. */
export interface ListeningUrls {
  readonly http: string
  readonly operations: string
  readonly network: string
  /** The value of `scanClient.threshold`; `trust-single` if `scanClient.scanType` is that: then one scan is believed without a vote. */
  readonly threshold: string | number
  /** The pinned DSO. Absent if none is pinned. */
  readonly dsoPartyId?: string
  readonly configurationFiles?: readonly string[]
  /**
   * The control address of a localnet, which sets faults. `superValidators` has the URL of each scan. Both are absent
   * if the network is no localnet.
   */
  readonly control?: string
  readonly superValidators?: Readonly<Record<string, string>>
  /** A command for a terminal that sends a request which this network answers. Absent while there is no roster. */
  readonly example?: string
}

/** The changes that a reload of the configuration made, one sentence for each. Secrets are left out. */
export interface ConfigurationChanges {
  readonly changed: readonly string[]
  /** True if a change affects who is trusted: thresholds, seeds or keys. */
  readonly changesTrust?: boolean
  /** Options that changed and apply only after a restart. */
  readonly needRestart: readonly string[]
  /** Sentences about options in files that a variable or a flag overrides. */
  readonly overridden?: readonly string[]
  /** Sentences about settings that are permitted but risky. */
  readonly warnings: readonly string[]
}

/**
 * Reports everything that operators may want to know. Each method counts an event in metrics, writes to the log, or
 * both. None of them ever throws: if reporting fails, a metric counts that.
 */
export interface Events {
  /**
   * Returns an object for the events of this super validator, with its counters already found, for frequent callers.
   * Metrics name this super validator until a new roster omits it.
   * @param host the name in Splice's metrics; the super validator's name by default.
   */
  forSuperValidator(sv: string, host?: string): SuperValidatorEvents
  scanAsked(sv: string, outcome: AskOutcome, seconds: number, read?: string): void
  /** Counts one vote of a super validator. A vote that dissents is counted later, by `recheckFiled`. */
  voted(sv: string, read: string, vote: VoteLabel): void
  /**
   * Reports the result of rechecking a dissent (quorum.md#lag-is-not-a-lie). The vote counts as what the recheck
   * found.
   */
  recheckFiled(sv: string, read: string, filedAs: Recheck): void
  /** Reports how many dissents of this super validator still await their recheck. */
  dissentsPending(sv: string, count: number): void
  /**
   * Reports the verdict of a read.
   * @param seconds from the first ask to the verdict.
   */
  readSettled(read: string, outcome: ReadOutcome, seconds: number, detail?: Fields): void
  /**
   * Reports that a read failed because the daemon had reached its limit of running reads, or of requests to scans.
   */
  readRejected(read: string, limit: ReadLimit): void
  /** Reports a 404 whose text no row of the table of reads knows. Only the log contains the text, shortened. */
  unknownRefusal(read: string, sv: string, text: string): void
  evidenceKept(outcome: ReadOutcome): void

  cacheLookup(tier: Tier, result: LookupResult): void
  /** Reports whether Redis answers. The log gets a line only when the value changes. */
  redisUp(up: boolean, detail?: Fields): void
  /** Reports that the daemon rejected a value from Redis (quorum.md#values-from-redis). */
  redisRefused(reason: RedisRefusal): void
  /** Reports that Redis rejected a command, did not answer it in time, or closed the connection. */
  redisFailed(operation: RedisOperation): void
  /** Reports that a refresh failed, so that the stale answer stays in the cache. */
  refreshFailed(read: string, error: unknown, requestId?: string): void
  /** Reports that cached answers were invalidated because names changed (quorum.md#invalidation). */
  invalidated(from: InvalidatedFrom, topics: number): void
  /**
   * Reports whether the daemon receives the invalidations of other daemons. While it does not, it ignores cached
   * answers that other daemons stored.
   */
  invalidationsFollowed(heard: boolean): void

  /**
   * Reports that an agreed answer was older than one that was served before (quorum.md#never-back), and what the
   * daemon then did.
   */
  heldUp(read: string, outcome: HeldUpOutcome, detail?: Fields): void
  /** Reports that the file of the rollback guard was damaged, and that the daemon renamed it to `path`. */
  floorFileSetAside(why: string, path: string): void
  /** Reports whether changes reach the file of the rollback guard: at the start, and whenever that changes. */
  floorFileWritable(isWritable: boolean, error?: unknown): void
  /** Reports that another daemon has the file of the rollback guard. This one takes it over when that one has ended. */
  floorFileInUse(): void

  ledgerWritten(outcome: WriteLabel): void

  readonly mirror: MirrorTelemetry
  readonly splitView: SplitViewTelemetry

  /** Reports that the trace collector did not accept `count` spans. */
  spansLost(count: number, why: string): void

  rosterTaken(roster: RosterState): void
  reachabilityChanged(reachability: Reachability): void
  /** Reports that the daemon cannot write the roster file, or does not use its content. This is no failed refresh. */
  rosterFileFailed(problem: 'not-written' | 'not-used', why: string): void
  /**
   * Reports a refresh of the roster. `held`: the daemon accepts the new set only if the next refresh returns the same
   * set.
   */
  rosterRefreshed(outcome: RefreshOutcome, why?: string): void
  /**
   * Reports that an attempt to agree on the first roster failed.
   * @param said how many scans said what, such as `{ refused: 12, 'timed-out': 1 }`.
   */
  rosterMissing(why: string, said: Readonly<Record<string, number>>): void
  seedAnswered(seed: string, answer: string, detail?: Fields): void

  /** Returns an object for the events of this route, with its counters already found, for frequent callers. */
  forRoute(route: string): RouteEvents
  missLimited(): void
  /** Reports that an answer went out without the receipt that was wanted, because there was too much to sign. */
  receiptNotMade(): void
  /** The JSON Ledger API refused a call without a usable token. */
  ledgerCallRefused(
    cause: 'no token' | 'empty token' | 'too long a token',
    requestId: string | undefined,
  ): void
  /** An admin call came while admin calls are off. */
  adminCallRefused(call: string, from: string | undefined): void

  listening(addresses: ListeningUrls): void
  configurationReloaded(changes: ConfigurationChanges): void
  /** Reports that a reload failed, so that the daemon keeps its configuration. */
  configurationKept(problems: readonly string[]): void
  /**
   * Reports that the shutdown begins.
   * @param reason the name of the signal, if one arrived.
   * @param requestsInProgress how many requests have begun but are not yet answered completely.
   */
  shuttingDown(reason: string, requestsInProgress: number): void
  /**
   * Reports that everything is closed. No further event follows.
   * @param ms milliseconds since `shuttingDown`.
   * @param requestsCut how many requests had begun but were never answered completely.
   */
  stopped(ms: number, requestsCut: number): void
  /** Discards the summary that has not been written yet. */
  close(): void
}
