import type {
  AskOutcome,
  LookupResult,
  RaisedFrom,
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
import type { Reachability, RosterState } from './roster-events.ts'

export type { RosterState, RouteEvents, SuperValidatorEvents }

/** Where the daemon answers: base URLs. */
export interface ListeningUrls {
  readonly http: string
  readonly operations: string
  /** On a localnet: the control address, and each super validator's URL. */
  readonly control?: string
  readonly superValidators?: Readonly<Record<string, string>>
}

/**
 * Everything that happens and that somebody may want to know: each function counts and logs. None of them ever
 * throws, whatever becomes of the line: a failure is a metric.
 */
export interface Events {
  /**
   * For who tells often. Metrics name this super validator from now on, until a roster is taken without it.
   * @param host what Splice's metrics call it; the name where it is left out.
   */
  forSuperValidator(sv: string, host?: string): SuperValidatorEvents
  scanAsked(sv: string, outcome: AskOutcome, seconds: number, read?: string): void
  /** Each vote once: a dissent that is looked into again is told by `recheckFiled` alone. */
  voted(sv: string, read: string, vote: VoteLabel): void
  /** A dissent after it was looked into (quorum.md#lag-is-not-a-lie); counts as the vote that it was filed as. */
  recheckFiled(sv: string, read: string, filedAs: Recheck): void
  /** How many of its dissents are not looked into yet. */
  dissentsPending(sv: string, count: number): void
  /** @param seconds from the first ask to the verdict. */
  readSettled(read: string, outcome: ReadOutcome, seconds: number, detail?: Fields): void
  /** A 404 whose text no row knows; the text goes into the log alone, and cut. */
  unknownRefusal(read: string, sv: string, text: string): void
  evidenceKept(outcome: ReadOutcome): void

  cacheLookup(tier: Tier, result: LookupResult): void
  /** May be told again and again; a line is written when it changes. */
  redisUp(up: boolean, detail?: Fields): void
  /** Something in Redis was not used (quorum.md#values-from-redis). */
  redisRefused(reason: RedisRefusal): void
  /** A command was refused or not answered in time. */
  redisFailed(operation: RedisOperation): void
  /** A stale answer stays. */
  refreshFailed(read: string, error: unknown): void
  /** Cached answers were given up because names changed (quorum.md#invalidation). */
  generationRaised(from: RaisedFrom, topics: number): void
  /** Whether the raises of other daemons are heard: while they are not, what others stored is not used. */
  raisesHeard(heard: boolean): void

  ledgerWritten(outcome: WriteLabel): void

  /** So many spans were not taken by the collector of traces. */
  spansLost(count: number, why: string): void

  rosterTaken(roster: RosterState): void
  reachabilityChanged(reachability: Reachability): void
  /** `held`: a set that is taken only if the next refresh gives it too. */
  rosterRefreshed(outcome: RefreshOutcome, why?: string): void
  seedAnswered(seed: string, answer: string, detail?: Fields): void

  /** For who tells often. */
  forRoute(route: string): RouteEvents
  missLimited(): void

  listening(addresses: ListeningUrls): void
  shuttingDown(reason: string): void
}
