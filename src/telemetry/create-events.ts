import { STATUS_CODES } from 'node:http'
import { daemonEvents, discoveryEvents, guardEvents } from './daemon-events.ts'
import type { Events, RouteEvents } from './events.ts'
import { type Counter, kept } from './instruments.ts'
import {
  type LookupResult,
  lookupResults,
  methods,
  type ReadOutcome,
  type Tier,
  tiers,
} from './label-values.ts'
import { EndLevel, LimitedLog, Summary } from './limited-log.ts'
import type { Fields } from './logger.ts'
import type { Metrics } from './metrics.ts'
import { mirrorTelemetry } from './mirror-events.ts'
import { elapsed, type Outages } from './outages.ts'
import { notAgreed, RosterEvents } from './roster-events.ts'
import { superValidatorEvents, superValidatorOutages } from './super-validator-events.ts'
import type { EventsDeps, Quietly, TelemetryParts } from './telemetry-parts.ts'

/** In this time, at most one line with the same message about the same subject is logged. */
const sameLineMs = 600_000
/** In this time, at most one line is logged of those that each request of a caller can cause. */
const sameRequestMs = 60_000
const longestRefusal = 200
const receiptsNotMade =
  'answers go out without the receipts that were wanted: too many wait, or the thread that signs them failed'
const atOwnLimit = 'a read failed because this daemon is at its own limit of concurrent work'

export function createEvents(deps: EventsDeps): Events {
  const { metrics, logger, clock } = deps
  const outages = superValidatorOutages(deps)
  const summary = new Summary(logger, clock, () => awayNow(outages))
  const limited = new LimitedLog(logger, clock, sameLineMs, (message) =>
    summary.count('linesLeftOut', 'repeated', message),
  )
  const roster = new RosterEvents(metrics, { log: limited, logger, clock })
  const parts: TelemetryParts = { ...deps, outages, summary, limited, roster, quietly: quietlyOver(metrics) }
  return {
    ...superValidatorEvents(parts),
    ...discoveryEvents(parts),
    ...readEvents(parts),
    ...cacheEvents(parts),
    ...guardEvents(parts),
    ...routeEvents(parts),
    ...daemonEvents(parts),
    mirror: mirrorTelemetry(parts),
  }
}

function awayNow({ running }: Outages): Fields {
  if (running.size === 0) return {}
  return { away: Object.fromEntries([...running].map(([sv, ms]) => [sv, elapsed(ms)])) }
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

function readEvents({
  metrics,
  logger,
  limited,
  quietly,
  summary,
  lastHour,
}: TelemetryParts): Pick<
  Events,
  'readSettled' | 'readRejected' | 'unknownRefusal' | 'evidenceKept' | 'spansLost'
> {
  const settled = readHandles(metrics)
  return {
    readSettled: quietly((read, outcome, seconds, detail) => {
      settled(read).told(outcome, seconds)
      lastHour?.reads.settled(outcome === 'agreed')
      const fields = { read, outcome, seconds, ...detail }
      if (outcome === 'agreed') return logger.debug(fields, 'a read was agreed on')
      summary.count('readsNotAgreed', read, outcome)
      limited.write('info', `${read} ${outcome}`, fields, notAgreed)
    }),
    readRejected: quietly((read, limit) => {
      metrics.reads_rejected_total.with({ read, limit }).inc()
      summary.count('readsRejected', read, limit)
      limited.write('warn', limit, { read, limit }, atOwnLimit)
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
  | 'redisRefuses'
  | 'redisRefused'
  | 'redisFailed'
  | 'refreshFailed'
  | 'invalidated'
  | 'invalidationsFollowed'

const redisGone = 'redis cannot be used; lookups go on without it'

function cacheEvents({ metrics, logger, limited, quietly }: TelemetryParts): Pick<Events, CacheGroup> {
  const lookups = lookupCells(metrics)
  let redisWasUp: boolean | undefined
  const redis = new EndLevel()
  const refusals = new EndLevel()
  const invalidations = new EndLevel()
  return {
    cacheLookup: quietly((tier, result) => lookups[tier][result].inc()),
    redisUp: quietly((up, detail) => {
      metrics.redis_up.set(up ? 1 : 0)
      if (up === redisWasUp) {
        if (detail !== undefined) limited.write('warn', String(detail['because']), { ...detail }, redisGone)
        return
      }
      redisWasUp = up
      if (up) return logger[redis.ended()]({ ...detail }, 'redis answers')
      redis.began()
      logger.warn({ ...detail }, redisGone)
    }),
    redisRefuses: quietly((because) => {
      if (because === undefined) return logger[refusals.ended()]({}, 'redis takes commands again')
      refusals.began()
      limited.write('warn', because, { because }, 'redis refuses commands; lookups go on without it')
    }),
    redisRefused: quietly((reason) => {
      metrics.redis_refusals_total.with({ reason }).inc()
      limited.write('warn', reason, { reason }, 'a value in redis was not used')
    }),
    redisFailed: quietly((operation) => {
      metrics.redis_failures_total.with({ operation }).inc()
    }),
    refreshFailed: quietly((read, error, requestId) => {
      metrics.refresh_failures_total.with({ read }).inc()
      limited.write(
        'warn',
        read,
        { read, requestId, why: sentenceOf(error) },
        'a stale answer was not refreshed',
      )
    }),
    invalidated: quietly((from, topics) => {
      metrics.invalidations_total.with({ from }).inc()
      logger.debug({ from, topics }, 'cached answers were given up')
    }),
    invalidationsFollowed: quietly((isHearing, refusal) => {
      if (isHearing) return logger[invalidations.ended()]({}, 'changes of names by other daemons are heard')
      invalidations.began()
      logger.warn(
        refusal === undefined ? {} : { because: refusal },
        'changes of names by other daemons are not heard, so their answers are not used',
      )
    }),
  }
}

/**
 * Leaves out the stack trace. A refresh fails mostly because super validators disagree, and a stack
 * trace does not explain that.
 */
function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

type RouteGroup =
  | 'forRoute'
  | 'missLimited'
  | 'receiptNotMade'
  | 'ledgerCallRefused'
  | 'tokenRefused'
  | 'tokenKeysMissing'
  | 'ledgerUnreadable'
  | 'adminCallRefused'

function routeEvents({
  metrics,
  logger,
  clock,
  limited,
  summary,
  quietly,
}: TelemetryParts): Pick<Events, RouteGroup> {
  // Callers may have many addresses, which must not displace the subjects of other lines.
  const ofRequests = new LimitedLog(logger, clock, sameRequestMs, (message) =>
    summary.count('linesLeftOut', 'repeated', message),
  )
  const routes = new Map<string, RouteEvents>()
  const routeOf = (route: string): RouteEvents => {
    const { served, hit } = routeHandle(metrics, route)
    return {
      served: quietly((method, status, seconds, requestId) => {
        served(method, status, seconds)
        if (logger.atDebug)
          logger.debug({ route, method, status, seconds, requestId }, 'a request was answered')
      }),
      hit: quietly(hit),
    }
  }
  return {
    forRoute(route) {
      const handle = routes.get(route) ?? routeOf(route)
      if (metrics.admitRoute(route)) routes.set(route, handle)
      return handle
    },
    missLimited: quietly(() => metrics.misses_limited_total.inc()),
    receiptNotMade: quietly(() => {
      metrics.receipts_unsigned_total.inc()
      limited.write('warn', '', {}, receiptsNotMade)
    }),
    ledgerCallRefused: quietly((cause, requestId) =>
      limited.write(
        'info',
        cause,
        { requestId, cause },
        'a call of the ledger API without a usable token was refused',
      ),
    ),
    tokenRefused: quietly((from, reason, requestId) =>
      ofRequests.write('info', `${from} ${reason}`, { from, reason, requestId }, 'a token was refused'),
    ),
    ledgerUnreadable: quietly((error, requestId) =>
      ofRequests.write(
        'error',
        sentenceOf(error).slice(0, longestRefusal),
        { requestId, err: error },
        'the ledger could not be read',
      ),
    ),
    tokenKeysMissing: quietly((reason, requestId) =>
      limited.write('warn', reason, { reason, requestId }, 'the keys to check tokens with cannot be fetched'),
    ),
    adminCallRefused: quietly((call, from) =>
      limited.write(
        'warn',
        '',
        { call: call.slice(0, longestCall), from },
        'an admin call was refused: operations.admin is not true',
      ),
    ),
  }
}

/** The caller chooses the path of an admin call. A longer one is cut in the log. */
const longestCall = 200

type LookupCells = Readonly<Record<Tier, Readonly<Record<LookupResult, Counter>>>>

function lookupCells({ cache_lookups_total }: Metrics): LookupCells {
  const cellsOf = (tier: Tier) =>
    Object.fromEntries(lookupResults.map((result) => [result, cache_lookups_total.with({ tier, result })]))
  return Object.fromEntries(tiers.map((tier) => [tier, cellsOf(tier)])) as unknown as LookupCells
}

const knownMethods: ReadonlySet<string> = new Set(methods)

function readHandles(
  metrics: Metrics,
): (read: string) => { told(outcome: ReadOutcome, seconds: number): void } {
  return kept(
    (read) => {
      const cells = kept(
        (outcome: ReadOutcome) => ({
          reads: metrics.reads_total.with({ read, outcome }),
          duration: metrics.read_duration_seconds.with({ read, outcome }),
        }),
        () => true,
      )
      return {
        told(outcome, seconds) {
          const { reads, duration } = cells(outcome)
          reads.inc()
          duration.observe(seconds)
        },
      }
    },
    (read) => metrics.reads.has(read),
  )
}

function routeHandle(metrics: Metrics, route: string): RouteEvents {
  const cells = kept(
    (method: string) =>
      kept(
        (status: number) => {
          const labels = { route, method: method as (typeof methods)[number], status: String(status) }
          return {
            requests: metrics.http_requests_total.with(labels),
            duration: metrics.http_request_duration_seconds.with(labels),
          }
        },
        (status) => STATUS_CODES[status] !== undefined,
      ),
    (method) => knownMethods.has(method),
  )
  let hits: Counter | undefined
  return {
    served(method, status, seconds) {
      const { requests, duration } = cells(method)(status)
      requests.inc()
      duration.observe(seconds)
    },
    hit() {
      hits ??= metrics.http_cache_hits_total.with({ route })
      hits.inc()
    },
  }
}
