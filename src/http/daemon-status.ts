import { newestKnown, standingOf } from '../reads/releases.ts'
import { reads } from '../reads/table.ts'
import type { Connections } from '../scan/connections.ts'
import type { Discovery } from '../scan/discovery.ts'
import type { Roster } from '../scan/roster.ts'
import type { ReadCounts } from '../telemetry/recent-read-counts.ts'

export interface StatusSources {
  readonly version: string
  readonly network: string
  readonly mode: string
  readonly discovery: Pick<Discovery, 'roster' | 'status'>
  readonly connections: Pick<Connections, 'of' | 'ofRoster' | 'cordon'>
  readonly ready: () => boolean
  readonly uptimeMs: () => number
  readonly wall: () => number
  readonly cache: () => { readonly values: number; readonly absences: number; readonly maxBytes: number }
  readonly reads: () => ReadCounts
  /** Undefined if no Redis is configured. `because` tells why Redis is not up, or what it refuses. */
  readonly redis: () => { readonly up: boolean; readonly because?: unknown } | undefined
  /** Undefined if the log does not go to standard output. */
  readonly log: unknown
  readonly mirror: () => unknown
  /**
   * `kept`: where an embedded ledger stores its data. `writesStopped`: why the ledger accepts no
   * writes. `url`: the base URL of a participant's JSON Ledger API.
   */
  readonly ledger: {
    readonly driver: string
    readonly kept?: string
    readonly writesStopped?: string
    readonly url?: string | undefined
  }
}

export function statusOf(sources: StatusSources): unknown {
  const { discovery, cache } = sources
  const { source, ageMs, onOneSeedsWord, waitingFor, seeds } = discovery.status
  return {
    version: sources.version,
    network: sources.network,
    mode: sources.mode,
    ready: sources.ready(),
    uptimeSeconds: seconds(sources.uptimeMs()),
    protected: discovery.roster?.isProtected() ?? null,
    ...(waitingFor === undefined ? {} : { waitingFor }),
    ...(onOneSeedsWord ? { warning: 'roster taken on the word of one seed' } : {}),
    seeds,
    roster: rosterOf(sources, source, ageMs),
    thresholds: thresholdsOf(sources),
    reads: sources.reads(),
    cache: { memory: cache(), ...redisOf(sources.redis()) },
    mirror: sources.mirror(),
    ledger: sources.ledger,
    log: sources.log ?? null,
  }
}

function redisOf(redis: ReturnType<StatusSources['redis']>) {
  if (redis === undefined) return { redis: 'none' }
  const { up, because } = redis
  return { redis: up ? 'up' : 'down', ...(because !== undefined && { redisBecause: because }) }
}

function rosterOf(
  { discovery, connections, wall }: StatusSources,
  source: string | undefined,
  ageMs: number | undefined,
) {
  const { roster } = discovery
  if (roster === undefined) return null
  const standings = connections.ofRoster(roster).selection.standings()
  return {
    source,
    ageSeconds: ageMs === undefined ? null : seconds(ageMs),
    dso: roster.set.dso,
    synchronizer: roster.set.synchronizer,
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
        pause: pauseOf(connection, wall()),
        ...(isAside && { cordoned: true }),
      }
    }),
  }
}

function pauseOf(connection: ReturnType<Connections['of']>, wall: number) {
  const held = connection?.rateLimit.held
  return held === undefined ? null : { why: held.why, until: new Date(wall + held.ms).toISOString() }
}

function thresholdsOf({ discovery }: StatusSources) {
  const { roster } = discovery
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
