import { reads } from '../reads/table.ts'
import type { Connections } from '../scan/connections.ts'
import type { Discovery } from '../scan/discovery.ts'
import type { Case, EvidenceLog } from '../scan/evidence-log.ts'

export interface StatusSources {
  readonly version: string
  readonly network: string
  readonly mode: string
  readonly discovery: Pick<Discovery, 'roster' | 'status'>
  readonly connections: Pick<Connections, 'of' | 'ofRoster'>
  readonly ready: () => boolean
  readonly uptimeMs: () => number
  /** Milliseconds since 1970 UTC. */
  readonly wall: () => number
  readonly cache: () => { readonly values: number; readonly absences: number; readonly maxBytes: number }
  readonly redis: () => 'up' | 'down' | 'none'
  /** The ledger's driver, its location, and the reason if it accepts no writes. */
  readonly ledger: { readonly driver: string; readonly kept?: string; readonly writesStopped?: string }
}

/** The answer of `/status`: the roster, the required thresholds, and the state of cache, Redis and ledger. */
export function statusOf(sources: StatusSources): unknown {
  const { discovery, cache } = sources
  const { source, ageMs, onOneSeedsWord, waitingFor } = discovery.status
  return {
    version: sources.version,
    network: sources.network,
    mode: sources.mode,
    ready: sources.ready(),
    uptimeSeconds: seconds(sources.uptimeMs()),
    protected: discovery.roster?.isProtected() ?? false,
    ...(waitingFor === undefined ? {} : { waitingFor }),
    ...(onOneSeedsWord ? { warning: 'roster taken on the word of one seed' } : {}),
    roster: rosterOf(sources, source, ageMs),
    thresholds: thresholdsOf(sources),
    cache: { memory: cache(), redis: sources.redis() },
    ledger: sources.ledger,
  }
}

/** The answer of `/evidence`: the last disagreements, newest first, with each statement's body once. */
export function evidenceOf(evidence: Pick<EvidenceLog, 'cases' | 'bytes'>): unknown {
  const bodies: Record<string, string> = {}
  const cases = evidence
    .cases()
    .map((kept) => ({ ...kept, statements: kept.statements.map((said) => withoutBody(said, bodies)) }))
  return { bytes: evidence.bytes, cases, bodies }
}

function withoutBody({ body, ...said }: Case['statements'][number], bodies: Record<string, string>) {
  bodies[said.digest] = body
  return said
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
    superValidators: roster.voters.map((voter, index) => {
      const connection = connections.of(voter)
      const health = connection?.health
      const standing = standings[index]
      return {
        names: voter.names,
        operator: /^operator (.*)$/s.exec(voter.operator)?.[1] ?? null,
        url: voter.place?.url ?? null,
        reachable: health?.reachable ?? false,
        availability: health === undefined ? 0 : round(health.availability),
        replySeconds: standing?.expectedMs === undefined ? null : seconds(standing.expectedMs),
        lateAfterSeconds: standing === undefined ? null : seconds(standing.lateMs),
        place: standing?.place ?? null,
        pause: pauseOf(connection, wall()),
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
  const byRead = Object.keys(reads).map((id) => [
    id,
    { ...roster.electorate(id), voters: undefined, protected: roster.isProtected(id) },
  ])
  return { general: { ...roster.electorate(), voters: undefined }, reads: Object.fromEntries(byRead) }
}

function seconds(ms: number): number {
  return round(ms / 1000)
}

function round(number: number): number {
  return Math.round(number * 1000) / 1000
}
