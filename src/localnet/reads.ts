import { get } from './answers/asked.ts'
import { governanceReads } from './answers/governance.ts'
import { nameReads } from './answers/names.ts'
import { rightsReads } from './answers/rights.ts'
import { roundsReads } from './answers/rounds.ts'
import { snapshotReads } from './answers/snapshots.ts'
import { tokenRegistryReads } from './answers/token-registry.ts'
import { topologyReads } from './answers/topology.ts'
import { updateReads } from './answers/updates.ts'
import type { Answer } from './node-context.ts'
import type { Release } from './releases.ts'
import { jsonReply, replyOf } from './reply.ts'

const empty = replyOf(200, [])
const notReady = replyOf(503, [])

const getVersion: Answer = (_view, { release: { version, committedAt } }) =>
  jsonReply(JSON.stringify({ version, commit_ts: committedAt }))

const getStatus: Answer = (view, { member, uptimeMs }) => {
  if (!view.initialised) return jsonReply(JSON.stringify({ not_initialized: { active: false } }))
  const seconds = uptimeMs() / 1000
  const uptime = `${Math.floor(seconds / 60)}m ${(seconds % 60).toFixed(3)}s`
  return jsonReply(
    JSON.stringify({ success: { id: member.name, uptime, ports: {}, extra: null, active: true } }),
  )
}

const isLive: Answer = () => empty

const isReady: Answer = (view) => (view.initialised ? empty : notReady)

const unknownPath: Answer = (_view, { uri, release }) => release.unknownPath(uri)

const rows = [
  ...nameReads,
  get('version', '/api/scan/version', getVersion),
  get('status', '/api/scan/status', getStatus),
  get('livez', '/api/scan/livez', isLive),
  get('readyz', '/api/scan/readyz', isReady),
  ...roundsReads,
  ...rightsReads,
  ...topologyReads,
  ...governanceReads,
  ...snapshotReads,
  ...updateReads,
  ...tokenRegistryReads,
] as const

export type ReadId = (typeof rows)[number]['id'] | 'unknown'

export interface Read {
  readonly id: ReadId
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly answer: Answer
}

export const reads: readonly Read[] = rows

export const readIds: readonly [ReadId, ...ReadId[]] = ['unknown', ...new Set(rows.map(({ id }) => id))]

export const unknownRead: Read = get('unknown', '', unknownPath)

/** The reads about the node itself. They are not counted as requests for ledger content. */
export const probes: ReadonlySet<ReadId> = new Set([
  'version',
  'status',
  'livez',
  'readyz',
  'backfilling-status',
  'migration-info',
  'earliest-round',
])

const parted = reads.map((read) => ({ read, parts: read.path.slice(1).split('/') }))
const bySegments = Map.groupBy(parted, ({ parts }) => parts.length)

/** Of several rows that match, the first one counts. */
export function matchRead(
  segments: readonly string[],
  { lacks }: Pick<Release, 'lacks'>,
): { readonly read: Read; readonly args: readonly string[] } {
  const isArgument = (part: string | undefined) => part === '{}'
  const row = bySegments
    .get(segments.length)
    ?.find(
      ({ read, parts }) =>
        !lacks.includes(read.path) &&
        parts.every((part, at) => (isArgument(part) ? segments[at] !== '' : part === segments[at])),
    )
  return { read: row?.read ?? unknownRead, args: segments.filter((_, at) => isArgument(row?.parts[at])) }
}
