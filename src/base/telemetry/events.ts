import { STATUS_CODES } from 'node:http'
import { daemonEvents, discoveryEvents, guardEvents } from './daemon-events.ts'
import { type Counter, kept } from './instruments.ts'
import { type Label, labelValues, type ReadOutcome } from './label-values.ts'
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

export type Events = ReturnType<typeof createEvents>
export type RouteEvents = ReturnType<Events['forRoute']>

/**
 * Reports events in metrics, in the log, or both. No method throws: if a report fails, the metric
 * `telemetry_failures_total` increases.
 */
export function createEvents(deps: EventsDeps) {
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

function readEvents({ metrics, logger, limited, quietly, summary, lastHour }: TelemetryParts) {
  return {
    readSettled: quietly((read: string, outcome: ReadOutcome, seconds: number, detail?: Fields) => {
      metrics.reads_total.with({ read, outcome }).inc()
      metrics.read_duration_seconds.with({ read, outcome }).observe(seconds)
      lastHour?.reads.settled(outcome === 'agreed')
      const fields = { read, outcome, seconds, ...detail }
      if (outcome === 'agreed') return logger.debug(fields, 'a read was agreed on')
      summary.count('readsNotAgreed', read, outcome)
      limited.write('info', `${read} ${outcome}`, fields, notAgreed)
    }),
    readRejected: quietly((read: string, limit: Label<'readLimit'>) => {
      metrics.reads_rejected_total.with({ read, limit }).inc()
      summary.count('readsRejected', read, limit)
      limited.write('warn', limit, { read, limit }, atOwnLimit)
    }),
    /**
     * Reports a 404 with a message that the table of reads does not list as an absence. Such a reply
     * is no vote.
     */
    unknownRefusal: quietly((read: string, sv: string, text: string) => {
      metrics.unknown_refusals_total.with({ read }).inc()
      const cut = text.slice(0, longestRefusal)
      const why = 'a 404 says what no row knows; it counts for nothing'
      limited.write('warn', `${read} ${sv}`, { read, sv, text: cut }, why)
    }),
    evidenceLost: quietly((error: unknown) => {
      metrics.telemetry_failures_total.inc()
      limited.write('error', sentenceOf(error), { err: error }, 'a contradiction was not kept: a bug')
    }),
    evidenceKept: quietly((outcome: ReadOutcome) => metrics.evidence_cases_total.with({ outcome }).inc()),
    spansLost: quietly((count: number, why: string) =>
      limited.write('warn', '', { count, why }, 'spans of traces are lost: the collector did not take them'),
    ),
  }
}

function cacheEvents(parts: TelemetryParts) {
  const { metrics, logger, limited, quietly } = parts
  const lookups = lookupCells(metrics)
  const invalidations = new EndLevel()
  return {
    ...redisEvents(parts),
    cacheLookup: quietly((tier: Label<'tier'>, result: Label<'lookup'>) => lookups[tier][result].inc()),
    refreshFailed: quietly((read: string, error: unknown, requestId?: string) => {
      metrics.refresh_failures_total.with({ read }).inc()
      const fields = { read, requestId, why: sentenceOf(error) }
      limited.write('warn', read, fields, 'a stale answer was not refreshed')
    }),
    /** Reports that cached answers were given up because names changed (quorum.md#invalidation). */
    invalidated: quietly((from: Label<'invalidatedFrom'>, topics: number) => {
      metrics.invalidations_total.with({ from }).inc()
      logger.debug({ from, topics }, 'cached answers were given up')
    }),
    /**
     * While the daemon does not hear the invalidations of other daemons, it ignores the answers that
     * they cached.
     */
    invalidationsFollowed: quietly((isHearing: boolean, refusal?: string) => {
      if (isHearing) return logger[invalidations.ended()]({}, 'changes of names by other daemons are heard')
      invalidations.began()
      logger.warn(
        refusal === undefined ? {} : { because: refusal },
        'changes of names by other daemons are not heard, so their answers are not used',
      )
    }),
  }
}

/** Whether Redis answered when the daemon last contacted it, and what prevents its use. */
export interface RedisState {
  readonly up: boolean
  readonly because?: unknown
}

const redisGone = 'redis cannot be used; lookups go on without it'
/** A command that succeeds this soon after a refusal does not end it: a full Redis takes small values. */
const settledMs = 1_000
/** Scripts and other commands get the same refusal in different words. */
const refusalCodes = /\b(READONLY|MASTERDOWN|OOM|NOREPLICAS|NOPERM|NOAUTH|MISCONF|LOADING|CLUSTERDOWN|BUSY)\b/

function redisEvents({ metrics, logger, clock, limited, quietly }: TelemetryParts) {
  const [outage, refusing] = [new EndLevel(), new EndLevel()]
  const refusals = new Map<Label<'redisOperation'>, { readonly because: string; readonly at: number }>()
  const told = new Set<string>()
  let state: RedisState | undefined
  return {
    redisUp: quietly((up: boolean, detail?: Fields) => {
      const wasUp = state?.up
      state = { ...detail, up }
      metrics.redis_up.set(up ? 1 : 0)
      if (up === wasUp) {
        if (detail !== undefined) limited.write('warn', String(detail['because']), { ...detail }, redisGone)
        return
      }
      if (up) return logger[outage.ended()]({ ...detail }, 'redis answers')
      outage.began()
      logger.warn({ ...detail }, redisGone)
    }),
    redisState(): RedisState {
      const [refusal] = refusals.values()
      return state?.up && refusal !== undefined
        ? { up: true, because: refusal.because }
        : (state ?? { up: false })
    },
    /** Reports a value from Redis that the daemon rejected (quorum.md#values-from-redis). */
    redisRefused: quietly((reason: Label<'redisRefusal'>) => {
      metrics.redis_refusals_total.with({ reason }).inc()
      limited.write('warn', reason, { reason }, 'a value in redis was not used')
    }),
    /**
     * Logs once that Redis refuses commands, and `redisSucceeded` once that it takes them again,
     * however many commands of whatever part of the daemon it refuses.
     */
    redisFailed: quietly((operation: Label<'redisOperation'>, because?: string) => {
      metrics.redis_failures_total.with({ operation }).inc()
      if (because === undefined) return
      refusals.set(operation, { because, at: clock.now() })
      const what = refusalCodes.exec(because)?.[0] ?? because
      if (told.has(what)) return
      told.add(what)
      refusing.began()
      limited.write('warn', because, { because }, 'redis refuses commands; lookups go on without it')
    }),
    redisSucceeded: quietly((operation: Label<'redisOperation'>) => {
      const refusal = refusals.get(operation)
      if (refusal === undefined || clock.now() - refusal.at < settledMs) return
      refusals.delete(operation)
      if (refusals.size > 0) return
      told.clear()
      logger[refusing.ended()]({}, 'redis takes commands again')
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

function routeEvents({ metrics, logger, clock, limited, summary, quietly }: TelemetryParts) {
  // Callers may have many addresses, which must not displace the subjects of other lines.
  const ofRequests = new LimitedLog(logger, clock, sameRequestMs, (message) =>
    summary.count('linesLeftOut', 'repeated', message),
  )
  const routeOf = (route: string) => {
    const { served, hit } = routeHandle(metrics, route)
    return {
      served: quietly((method: string, status: number, seconds: number, requestId?: string) => {
        served(method, status, seconds)
        if (logger.atDebug)
          logger.debug({ route, method, status, seconds, requestId }, 'a request was answered')
      }),
      hit: quietly(hit),
    }
  }
  return {
    forRoute: kept(routeOf, (route) => metrics.admitRoute(route)),
    missLimited: quietly(() => metrics.misses_limited_total.inc()),
    receiptNotMade: quietly(() => {
      metrics.receipts_unsigned_total.inc()
      limited.write('warn', '', {}, receiptsNotMade)
    }),
    ledgerCallRefused: quietly(
      (cause: 'no token' | 'empty token' | 'too long a token', requestId: string | undefined) =>
        limited.write(
          'info',
          cause,
          { requestId, cause },
          'a call of the ledger API without a usable token was refused',
        ),
    ),
    /** @param from the client that the limits count */
    tokenRefused: quietly((from: string, reason: string, requestId: string | undefined) =>
      ofRequests.write('info', `${from} ${reason}`, { from, reason, requestId }, 'a token was refused'),
    ),
    /** A call of the ledger API failed. */
    ledgerUnreadable: quietly((error: unknown, requestId: string | undefined) => {
      const subject = sentenceOf(error).slice(0, longestRefusal)
      ofRequests.write('error', subject, { requestId, err: error }, 'the ledger could not be read')
    }),
    tokenKeysMissing: quietly((reason: string, requestId: string | undefined) =>
      limited.write('warn', reason, { reason, requestId }, 'the keys to check tokens with cannot be fetched'),
    ),
    adminCallRefused: quietly((call: string, from: string | undefined) => {
      const fields = { call: call.slice(0, longestCall), from }
      limited.write('warn', '', fields, 'an admin call was refused: operations.admin is not true')
    }),
  }
}

/** The caller chooses the path of an admin call. A longer one is cut in the log. */
const longestCall = 200

type LookupCells = Readonly<Record<Label<'tier'>, Readonly<Record<Label<'lookup'>, Counter>>>>

function lookupCells({ cache_lookups_total }: Metrics): LookupCells {
  const cellsOf = (tier: Label<'tier'>) =>
    Object.fromEntries(
      labelValues.lookup.map((result) => [result, cache_lookups_total.with({ tier, result })]),
    )
  return Object.fromEntries(labelValues.tier.map((tier) => [tier, cellsOf(tier)])) as unknown as LookupCells
}

const knownMethods: ReadonlySet<string> = new Set(labelValues.method)

function routeHandle(metrics: Metrics, route: string) {
  const cells = kept(
    (method: string) =>
      kept(
        (status: number) => {
          const labels = { route, method: method as Label<'method'>, status: String(status) }
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
    served(method: string, status: number, seconds: number) {
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
