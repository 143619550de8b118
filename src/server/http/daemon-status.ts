import { networkKind } from '../../base/config/network-kind.ts'
import type { Config } from '../../base/config/resolve.ts'
import type { Clock } from '../../base/lib/clock.ts'
import type { Events, RedisState } from '../../base/telemetry/events.ts'
import type { LastHour } from '../../base/telemetry/last-hour.ts'
import type { LogOutput } from '../../base/telemetry/log-output.ts'
import { newestKnown, standingOf } from '../../core/reads/releases.ts'
import { reads } from '../../core/reads/table.ts'
import type { Connections } from '../../core/scan/connections.ts'
import type { ReadPath } from '../../core/scan/open.ts'
import type { Roster } from '../../core/scan/roster.ts'
import type { NameService } from '../../localnet/automation/name-service.ts'
import type { MirrorStatus } from '../../mirror/mirror-status.ts'
import type { About } from './daemon-state.ts'

export interface StatusSources {
  readonly scan: Pick<ReadPath, 'discovery' | 'connections' | 'memory'>
  readonly events: Pick<Events, 'redisState'>
  readonly mirror: { readonly status: () => MirrorStatus } | undefined
  readonly names: NameService | undefined
  readonly about: About
  readonly realClock: Clock
  readonly lastHour: LastHour
  /** Undefined if the log does not go to standard output. */
  readonly logOutput: LogOutput | undefined
}

/** Returns what `/status` answers. */
export function statusOf(config: Config, sources: StatusSources) {
  const { scan, events, mirror, names, about, realClock, lastHour, logOutput } = sources
  const { discovery, memory } = scan
  const { ageMs, onOneSeedsWord, waitingFor, seeds } = discovery.status
  return {
    version: about.version,
    network: networkKind(config.network, config.scanClient.seedUrls),
    mode: config.scanClient.scanType,
    ready: about.ready(),
    uptimeSeconds: seconds(about.uptimeMs()),
    protected: discovery.roster?.isProtected() ?? null,
    ...(waitingFor === undefined ? {} : { waitingFor }),
    ...(onOneSeedsWord ? { warning: 'roster taken on the word of one seed' } : {}),
    seeds,
    roster: rosterOf(scan, ageMs, realClock.wall()),
    thresholds: thresholdsOf(discovery.roster),
    reads: lastHour.reads.counts(),
    cache: {
      memory: { ...memory.bytes, maxBytes: config.cache.maxBytes },
      ...redisOf(config.cache.redis.url === undefined ? undefined : events.redisState()),
    },
    mirror: mirror?.status() ?? { level: 'off' as const, wanted: config.mirror.level },
    ledger: ledgerOf(config, names?.ledger.writesStopped),
    log: logOutput?.status ?? null,
  }
}

function ledgerOf({ ledger: { driver, file, url, relay } }: Config, writesStopped: string | undefined) {
  return {
    driver,
    ...(driver === 'embedded' && { kept: file ?? 'nothing: it is in memory and forgotten at exit' }),
    ...(writesStopped !== undefined && { writesStopped }),
    ...(driver === 'participant' && { url, relay }),
  }
}

function redisOf(redis: RedisState | undefined) {
  if (redis === undefined) return { redis: 'none' }
  const { up, because } = redis
  return { redis: up ? 'up' : 'down', ...(because !== undefined && { redisBecause: String(because) }) }
}

function rosterOf(
  { discovery, connections }: StatusSources['scan'],
  ageMs: number | undefined,
  wall: number,
) {
  const { roster } = discovery
  const { source } = discovery.status
  if (roster === undefined) return null
  const standings = connections.ofRoster(roster).selection.standings()
  return {
    source,
    ageSeconds: ageMs === undefined ? null : seconds(ageMs),
    dso: roster.membership.dso,
    synchronizer: roster.membership.synchronizer,
    unmatchedOperators: roster.unmatchedOperators,
    newestKnownRelease: newestKnown,
    superValidators: roster.voters.map((voter, index) => {
      const connection = connections.of(voter)
      const health = connection?.health
      const standing = standings[index]
      const isAside = connections.cordon.holds(voter)
      return {
        names: voter.names,
        operator: voter.configuredOperator,
        url: voter.place?.url ?? null,
        reachable: !isAside && (health?.reachable ?? false),
        availability: health === undefined ? 0 : round(health.availability),
        replySeconds: standing?.expectedMs === undefined ? null : seconds(standing.expectedMs),
        lateAfterSeconds: standing === undefined ? null : seconds(standing.lateMs),
        place: standing?.place ?? null,
        release: connection?.release ?? null,
        ...(standingOf(connection?.release) === 'newer' && { newerThanKnown: true }),
        pause: pauseOf(connection, wall),
        ...(isAside && { cordoned: true }),
      }
    }),
  }
}

function pauseOf(connection: ReturnType<Connections['of']>, wall: number) {
  const held = connection?.rateLimit.held
  return held === undefined ? null : { why: held.why, until: new Date(wall + held.ms).toISOString() }
}

function thresholdsOf(roster: Roster | undefined) {
  if (roster === undefined) return null
  const general = thresholdOf(roster)
  const differing = Object.keys(reads).flatMap((id) => {
    const own = thresholdOf(roster, id)
    const isGeneral = JSON.stringify(own) === JSON.stringify(general)
    return isGeneral ? [] : [[id, { ...own, protected: roster.isProtected(id) }] as const]
  })
  return { general, reads: Object.fromEntries(differing) }
}

function thresholdOf(roster: Roster, read?: string) {
  const { superValidators, operators } = roster.electorate(read)
  return { superValidators, ...(operators && { operators }) }
}

function seconds(ms: number): number {
  return round(ms / 1000)
}

function round(number: number): number {
  return Math.round(number * 1000) / 1000
}
