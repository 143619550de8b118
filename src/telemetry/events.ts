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
  ReleaseStandingLabel,
  Tier,
  VoteLabel,
  WriteLabel,
} from './label-values.ts'
import type { Fields } from './logger.ts'
import type { MirrorTelemetry } from './mirror-events.ts'
import type { Reachability, RosterState } from './roster-events.ts'

export type { RosterState }

export interface SuperValidatorEvents {
  asked(outcome: AskOutcome, seconds: number): void
  /** A dissenting vote is not counted here, but by `recheckFiled` after a second look at it. */
  voted(read: string, vote: VoteLabel, agoMs?: number): void
}

export interface RouteEvents {
  served(method: string, status: number, seconds: number, requestId?: string): void
  hit(): void
}

export interface ListeningUrls {
  readonly http: string
  readonly operations: string
  readonly network: string
  /** The value is `trust-single` if the daemon believes one scan without a vote. */
  readonly threshold: string | number
  readonly dsoPartyId?: string
  readonly configurationFiles?: readonly string[]
  readonly control?: string
  readonly superValidators?: Readonly<Record<string, string>>
  readonly example?: string
}

export interface ConfigurationChanges {
  readonly changed: readonly string[]
  /**
   * True if a change affects who is trusted, for example the thresholds, the seeds or the keys of
   * tokens.
   */
  readonly changesTrust?: boolean
  readonly needRestart: readonly string[]
  readonly overridden?: readonly string[]
  readonly warnings: readonly string[]
}

/**
 * Reports events in metrics, in the log, or both. No method throws: if a report fails, the metric
 * `telemetry_failures_total` increases.
 */
export interface Events {
  /**
   * Callers keep the returned object, which looks up each counter only once.
   */
  forSuperValidator(sv: string): SuperValidatorEvents
  /**
   * Reports a request that asks a scan who the super validators are. Once the daemon knows the
   * super validators, requests to other scans are ignored.
   */
  scanAsked(sv: string, outcome: AskOutcome, seconds: number): void
  /**
   * Reports what a second look at a dissenting vote found (quorum.md#lag-is-not-a-lie), and counts
   * the vote.
   */
  recheckFiled(sv: string, read: string, filedAs: Recheck, agoMs?: number): void
  dissentsPending(sv: string, count: number): void
  /** @param standing how the release of Splice that a scan names compares with those known. */
  releaseNamed(sv: string, standing: ReleaseStandingLabel, release: string | undefined): void
  readSettled(read: string, outcome: ReadOutcome, seconds: number, detail?: Fields): void
  readRejected(read: string, limit: ReadLimit): void
  /**
   * Reports a 404 with a message that the table of reads does not list as an absence. Such a reply
   * is no vote.
   */
  unknownRefusal(read: string, sv: string, text: string): void
  evidenceKept(outcome: ReadOutcome): void

  cacheLookup(tier: Tier, result: LookupResult): void
  redisUp(up: boolean, detail?: Fields): void
  /** @param because what Redis said; undefined once it takes commands again. */
  redisRefuses(because: string | undefined): void
  /** Reports a value from Redis that the daemon rejected (quorum.md#values-from-redis). */
  redisRefused(reason: RedisRefusal): void
  redisFailed(operation: RedisOperation): void
  refreshFailed(read: string, error: unknown, requestId?: string): void
  /** Reports that cached answers were given up because names changed (quorum.md#invalidation). */
  invalidated(from: InvalidatedFrom, topics: number): void
  /**
   * While the daemon does not hear the invalidations of other daemons, it ignores the answers that
   * they cached.
   */
  invalidationsFollowed(isHearing: boolean, refusal?: string): void

  /** Reports an agreed answer that was older than one served before (quorum.md#never-back). */
  heldUp(read: string, outcome: HeldUpOutcome, detail?: Fields): void
  /** `guard.file`, which has the ages of served answers, was damaged and renamed to `path`. */
  floorFileSetAside(why: string, path: string): void
  floorFileWritable(isWritable: boolean, error?: unknown): void
  /** Another daemon uses `guard.file`. This daemon takes the file over when the other one ends. */
  floorFileInUse(): void

  ledgerWritten(outcome: WriteLabel): void

  readonly mirror: MirrorTelemetry

  spansLost(count: number, why: string): void

  logLinesLost(lines: number): void
  logWrittenAgain(linesLost: number, because: string): void

  rosterTaken(roster: RosterState): void
  reachabilityChanged(reachability: Reachability): void
  /** With `not-used`, the daemon asks the configured seeds instead of believing the file. */
  rosterFileFailed(problem: 'not-written' | 'not-used', why: string): void
  /**
   * With `held`, the new list of super validators differs so much that the next refresh must
   * confirm it (quorum.md#refreshes).
   */
  rosterRefreshed(outcome: RefreshOutcome, why?: string): void
  /** @param said how many scans had each outcome, such as `{ refused: 12, 'timed-out': 1 }` */
  rosterMissing(why: string, said: Readonly<Record<string, number>>): void
  seedAnswered(seed: string, answer: string, detail?: Fields): void

  forRoute(route: string): RouteEvents
  missLimited(): void
  receiptNotMade(): void
  ledgerCallRefused(
    cause: 'no token' | 'empty token' | 'too long a token',
    requestId: string | undefined,
  ): void
  /** @param from the client that the limits count */
  tokenRefused(from: string, reason: string, requestId: string | undefined): void
  /** A call of the ledger API failed. */
  ledgerUnreadable(error: unknown, requestId: string | undefined): void
  tokenKeysMissing(reason: string, requestId: string | undefined): void
  adminCallRefused(call: string, from: string | undefined): void

  /** The next work for the thread starts it again. */
  threadFailed(thread: 'judge' | 'receipts', why: Error): void

  listening(addresses: ListeningUrls): void
  configurationReloaded(changes: ConfigurationChanges): void
  configurationKept(problems: readonly string[]): void
  /** @param reason the name of the signal, or `asked to` if the program itself stops the daemon */
  shuttingDown(reason: string, requestsInProgress: number): void
  /**
   * No further event follows.
   * @param requestsCut the number of requests that were never answered completely
   */
  stopped(ms: number, requestsCut: number): void
  close(): void
}
