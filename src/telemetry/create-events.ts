import type { Clock } from '../lib/clock.ts'
import { type LookupResult, lookupResults, type Tier, tiers } from './catalogue.ts'
import type { Events } from './events.ts'
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
import type { Logger } from './logger.ts'
import type { Metrics } from './metrics.ts'
import { RosterEvents } from './roster-events.ts'

export interface EventsDeps {
  readonly metrics: Metrics
  readonly logger: Logger
  readonly clock: Clock
  /** Receives the roster, its votes and the latency of its answers. */
  readonly lastHour?: LastHour
}

/** Minimum time between two equal lines about the same super validator, read or seed. */
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

export function createEvents(deps: EventsDeps): Events {
  const limited = new LimitedLog(deps.logger, deps.clock, sameLineMs)
  const telling: Telling = { ...deps, limited, quietly: quietlyOver(deps.metrics) }
  return {
    ...superValidatorEvents(telling),
    ...readEvents(telling),
    ...cacheEvents(telling),
    ...routeEvents(telling),
    ...daemonEvents(telling),
  }
}

type Quietly = <Args extends unknown[]>(tell: (...args: Args) => void) => (...args: Args) => void

/** Dependencies that every group of events shares. */
interface Telling extends EventsDeps {
  readonly limited: LimitedLog
  /** Turns exceptions into a metric. */
  readonly quietly: Quietly
}

function quietlyOver({ telemetry_failures_total }: Metrics): Quietly {
  return (tell) =>
    (...args) => {
      try {
        tell(...args)
      } catch {
        telemetry_failures_total.inc()
      }
    }
}

type SuperValidatorGroup =
  | 'forSuperValidator'
  | 'scanAsked'
  | 'voted'
  | 'recheckFiled'
  | 'dissentsPending'
  | 'rosterTaken'
  | 'reachabilityChanged'
  | 'rosterRefreshed'
  | 'seedAnswered'

function superValidatorEvents(telling: Telling): Pick<Events, SuperValidatorGroup> {
  const { metrics, logger, clock, lastHour, limited, quietly } = telling
  const roster = new RosterEvents(metrics, limited, clock)
  const handles = new Map<string, SuperValidatorEvents>()
  const known = (sv: string) => handles.get(sv) ?? superValidatorEventsOf(sv, telling)
  const forget = (sv: string) => {
    metrics.removeSv(sv)
    handles.delete(sv)
  }
  return {
    forSuperValidator(sv, host) {
      const handle = known(sv)
      if (metrics.admitSv(sv, host)) handles.set(sv, handle)
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
  }
}

function superValidatorEventsOf(
  sv: string,
  { metrics, clock, lastHour, limited, quietly }: Telling,
): SuperValidatorEvents {
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

function readEvents({
  metrics,
  logger,
  limited,
  quietly,
}: Telling): Pick<Events, 'readSettled' | 'unknownRefusal' | 'evidenceKept' | 'spansLost'> {
  const settled = readHandles(metrics)
  return {
    readSettled: quietly((read, outcome, seconds, detail) => {
      settled(read).told(outcome, seconds)
      const fields = { read, outcome, seconds, ...detail }
      if (outcome === 'agreed') logger.debug(fields, 'a read was agreed on')
      else limited.write('info', `${read} ${outcome}`, fields, 'a read was not agreed on')
    }),
    unknownRefusal: quietly((read, sv, text) => {
      metrics.unknown_refusals_total.with({ read }).inc()
      const cut = text.slice(0, longestRefusal)
      const why = 'a 404 says what no row knows; it counts for nothing'
      limited.write('warn', `${read} ${sv}`, { read, sv, text: cut }, why)
    }),
    evidenceKept: quietly((outcome) => metrics.evidence_cases_total.with({ outcome }).inc()),
    spansLost: quietly((count, why) =>
      limited.write('warn', '', { count, why }, 'spans of traces are lost: the collector did not take them'),
    ),
  }
}

type CacheGroup =
  | 'cacheLookup'
  | 'redisUp'
  | 'redisRefused'
  | 'redisFailed'
  | 'refreshFailed'
  | 'invalidated'
  | 'invalidationsFollowed'

function cacheEvents({ metrics, logger, limited, quietly }: Telling): Pick<Events, CacheGroup> {
  const lookups = lookupCells(metrics)
  let redisWasUp: boolean | undefined
  return {
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
    invalidated: quietly((from, topics) => {
      metrics.invalidations_total.with({ from }).inc()
      logger.debug({ from, topics }, 'cached answers were given up')
    }),
    invalidationsFollowed: quietly((heard) => {
      if (heard) logger.info({}, 'changes of names by other daemons are heard')
      else logger.warn({}, 'changes of names by other daemons are not heard, so their answers are not used')
    }),
  }
}

function routeEvents({ metrics, logger, quietly }: Telling): Pick<Events, 'forRoute' | 'missLimited'> {
  const routes = new Map<string, RouteEvents>()
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
  return {
    forRoute(route) {
      const handle = routes.get(route) ?? routeOf(route)
      if (metrics.admitRoute(route)) routes.set(route, handle)
      return handle
    },
    missLimited: quietly(() => metrics.misses_limited_total.inc()),
  }
}

function daemonEvents({
  metrics,
  logger,
  quietly,
}: Telling): Pick<Events, 'ledgerWritten' | 'listening' | 'shuttingDown'> {
  return {
    ledgerWritten: quietly((outcome) => metrics.ledger_writes_total.with({ outcome }).inc()),
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
