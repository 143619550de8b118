import type { Clock } from '../lib/clock.ts'
import {
  type AskOutcome,
  type LookupResult,
  lookupResults,
  type RaisedFrom,
  type ReadOutcome,
  type Recheck,
  type RedisOperation,
  type RedisRefusal,
  type RefreshOutcome,
  type Tier,
  tiers,
  type Vote,
  type WriteOutcome,
} from './catalogue.ts'
import {
  type RouteEvents,
  readHandles,
  routeHandle,
  type SuperValidatorEvents,
  superValidatorHandle,
} from './handles.ts'
import type { Counter } from './instruments.ts'
import type { LastHour } from './last-hour.ts'
import { LimitedLog } from './limited-log.ts'
import type { Fields, Logger } from './logger.ts'
import type { Metrics } from './metrics.ts'
import { type Reachability, RosterEvents, type RosterState } from './roster-events.ts'

export type { RosterState, RouteEvents, SuperValidatorEvents }

/** Where the daemon answers: base URLs. */
export interface Addresses {
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
  voted(sv: string, read: string, vote: Vote): void
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

  ledgerWritten(outcome: WriteOutcome): void

  /** So many spans were not taken by the collector of traces. */
  spansLost(count: number, why: string): void

  rosterTaken(roster: RosterState): void
  reachabilityChanged(reachability: Reachability): void
  /** `held`: a set that is taken only if the next refresh gives it too. */
  rosterRefreshed(outcome: RefreshOutcome, why?: string): void
  seedAnswered(seed: string, answer: string, detail?: Fields): void

  /** For who tells often. */
  forRoute(route: string): RouteEvents
  httpServed(route: string, method: string, status: number, seconds: number): void
  missLimited(): void

  listening(addresses: Addresses): void
  shuttingDown(reason: string): void
}

export interface EventsDeps {
  readonly metrics: Metrics
  readonly logger: Logger
  readonly clock: Clock
  /** Told of the roster, its votes and how long its answers took. */
  readonly lastHour?: LastHour
}

/** Between two lines that say the same about the same super validator, read or seed. */
const sameLineMs = 10_000
const longestRefusal = 200

const filings = {
  dissent: { level: 'warn', said: 'a super validator contradicts the quorum' },
  split: {
    level: 'info',
    said: 'a super validator is one of several that give another answer than the quorum',
  },
  unchecked: {
    level: 'warn',
    said: 'a super validator contradicted the quorum, and nothing could be learnt by asking again',
  },
} as const

export function createEvents({ metrics, logger, clock, lastHour }: EventsDeps): Events {
  const limited = new LimitedLog(logger, clock, sameLineMs)
  const roster = new RosterEvents(metrics, limited, clock)
  const superValidators = new Map<string, SuperValidatorEvents>()
  const routes = new Map<string, RouteEvents>()
  const lookups = lookupCells(metrics)
  const settled = readHandles(metrics)
  let redisWasUp: boolean | undefined

  const quietly =
    <Args extends unknown[]>(tell: (...args: Args) => void) =>
    (...args: Args): void => {
      try {
        tell(...args)
      } catch {
        metrics.telemetry_failures_total.inc()
      }
    }
  const handleOf = (sv: string): SuperValidatorEvents => {
    const { asked, voted } = superValidatorHandle(
      metrics,
      sv,
      () => clock.now(),
      (fault) => limited.write('info', `${sv} ${fault}`, { sv, fault }, 'a super validator was not heard'),
    )
    if (lastHour === undefined) return { asked: quietly(asked), voted: quietly(voted) }
    return {
      asked: quietly((outcome, seconds, read) => {
        asked(outcome, seconds, read)
        lastHour.asked(sv, outcome, seconds)
      }),
      voted: quietly((read, vote) => {
        voted(read, vote)
        lastHour.voted(sv, vote)
      }),
    }
  }
  const routeOf = (route: string): RouteEvents => {
    const { served } = routeHandle(metrics, route)
    if (!logger.atDebug) return { served: quietly(served) }
    return {
      served: quietly((method, status, seconds) => {
        served(method, status, seconds)
        logger.debug({ route, method, status, seconds }, 'a request was answered')
      }),
    }
  }
  const forget = (sv: string) => {
    metrics.removeSv(sv)
    superValidators.delete(sv)
  }
  const known = (sv: string) => superValidators.get(sv) ?? handleOf(sv)

  return {
    forSuperValidator(sv, host) {
      const handle = known(sv)
      if (metrics.admitSv(sv, host)) superValidators.set(sv, handle)
      return handle
    },
    scanAsked: quietly((sv, outcome, seconds, read) => known(sv).asked(outcome, seconds, read)),
    voted: quietly((sv, read, vote) => known(sv).voted(read, vote)),
    recheckFiled: quietly((sv, read, filedAs) => {
      metrics.rechecks_total.with({ outcome: filedAs }).inc()
      known(sv).voted(read, filedAs)
      if (filedAs === 'lag') return logger.debug({ sv, read }, 'a super validator lagged behind')
      const { level, said } = filings[filedAs]
      limited.write(level, `${sv} ${read} ${filedAs}`, { sv, read }, said)
    }),
    dissentsPending: quietly((sv, count) => metrics.dissents_pending.with({ sv }).set(count)),
    readSettled: quietly((read, outcome, seconds, detail) => {
      settled(read).told(outcome, seconds)
      const fields = { read, outcome, seconds, ...detail }
      if (outcome === 'agreed') logger.debug(fields, 'a read was agreed on')
      else limited.write('info', `${read} ${outcome}`, fields, 'a read was not agreed on')
    }),
    unknownRefusal: quietly((read, sv, text) => {
      metrics.unknown_refusals_total.with({ read }).inc()
      const cut = text.slice(0, longestRefusal)
      limited.write(
        'warn',
        `${read} ${sv}`,
        { read, sv, text: cut },
        'a 404 says what no row knows; it counts for nothing',
      )
    }),
    evidenceKept: quietly((outcome) => metrics.evidence_cases_total.with({ outcome }).inc()),

    cacheLookup: quietly((tier, result) => lookups[tier][result].inc()),
    redisUp: quietly((up, detail) => {
      metrics.redis_up.set(up ? 1 : 0)
      if (up === redisWasUp) return
      redisWasUp = up
      if (up) logger.info({ ...detail }, 'redis answers')
      else logger.warn({ ...detail }, 'redis does not answer; lookups go on without it')
    }),

    redisRefused: quietly((reason) => {
      metrics.redis_refusals_total.with({ reason }).inc()
      limited.write('warn', reason, { reason }, 'a value in redis was not used')
    }),
    redisFailed: quietly((operation) => {
      metrics.redis_failures_total.with({ operation }).inc()
      limited.write('info', operation, { operation }, 'redis did not do as it was told')
    }),
    refreshFailed: quietly((read, error) => {
      metrics.refresh_failures_total.with({ read }).inc()
      limited.write('warn', read, { read, err: error }, 'a stale answer was not refreshed')
    }),
    generationRaised: quietly((from, topics) => {
      metrics.generations_raised_total.with({ from }).inc()
      logger.debug({ from, topics }, 'cached answers were given up')
    }),
    raisesHeard: quietly((heard) => {
      if (heard) logger.info({}, 'changes of names by other daemons are heard')
      else logger.warn({}, 'changes of names by other daemons are not heard, so their answers are not used')
    }),

    spansLost: quietly((count, why) =>
      limited.write('warn', '', { count, why }, 'spans of traces are lost: the collector did not take them'),
    ),

    ledgerWritten: quietly((outcome) => metrics.ledger_writes_total.with({ outcome }).inc()),

    rosterTaken: quietly((state) => {
      const names = new Set(state.members.map(({ name }) => name))
      lastHour?.keep(names)
      for (const sv of metrics.superValidators) if (!names.has(sv)) forget(sv)
      for (const { name, host, operator } of state.members) metrics.admitSv(name, host, operator)
      roster.taken(state)
    }),
    reachabilityChanged: quietly((reachability) => roster.reachable(reachability)),
    rosterRefreshed: quietly((outcome, why) => {
      metrics.roster_refreshes_total.with({ outcome }).inc()
      if (outcome === 'same' || outcome === 'changed') roster.agreed()
      if (outcome === 'same') logger.debug({}, 'the roster is as it was')
      else if (outcome === 'changed') logger.info({}, 'the roster changed')
      else limited.write('warn', `${outcome} ${why}`, { outcome, why }, 'the roster was not refreshed')
    }),
    seedAnswered: quietly((seed, answer, detail) =>
      limited.write('info', `${seed} ${answer}`, { seed, answer, ...detail }, 'a seed answered'),
    ),

    forRoute(route) {
      const handle = routes.get(route) ?? routeOf(route)
      if (metrics.admitRoute(route)) routes.set(route, handle)
      return handle
    },
    httpServed: quietly((route, method, status, seconds) => {
      const handle = routes.get(route) ?? routeOf(route)
      handle.served(method, status, seconds)
    }),
    missLimited: quietly(() => metrics.misses_limited_total.inc()),

    listening: quietly((addresses) => logger.info({ ...addresses }, 'listening')),
    shuttingDown: quietly((reason) => logger.info({ reason }, 'shutting down')),
  }
}

type LookupCells = Readonly<Record<Tier, Readonly<Record<LookupResult, Counter>>>>

function lookupCells({ cache_lookups_total }: Metrics): LookupCells {
  const cellsOf = (tier: Tier) =>
    Object.fromEntries(lookupResults.map((result) => [result, cache_lookups_total.with({ tier, result })]))
  return Object.fromEntries(tiers.map((tier) => [tier, cellsOf(tier)])) as unknown as LookupCells
}
