import type { Electorate, Group } from '../quorum/electorate.ts'
import { operatorsOf } from '../quorum/threshold-met.ts'
import { type MigrationInfo, migrationInfoRequest } from '../reads/holding.ts'
import { readingOf } from '../reads/reading.ts'
import type { Connection, Connections } from '../scan/connections.ts'
import { tryParse } from '../scan/judgement.ts'
import type { Roster } from '../scan/roster.ts'

export interface HeadDeps {
  readonly connections: Pick<Connections, 'ofRoster'>
  readonly requestTimeoutMs: number
}

const maxBytes = 65_536
/**
 * The largest number of JSON values in a reply, which lists ranges of record time. This limit is
 * enough for several hundred ranges.
 */
const maxElements = 4_096

/**
 * Asks scans for their latest record times. Returns a time that the ledger has surely reached, in
 * milliseconds since 1970; undefined if too few scans reply.
 * A scan whose rate limit allows no request is not asked. The promise rejects only when the signal
 * aborts.
 */
export async function agreedHead(
  migrationId: number,
  roster: Roster,
  { connections, requestTimeoutMs: timeoutMs }: HeadDeps,
  signal: AbortSignal,
): Promise<number | undefined> {
  const { method, path, body = '' } = migrationInfoRequest(migrationId)
  const request = { method, path: `/api/scan${path}`, body, maxBytes, timeoutMs }
  const ask = async (connection: Connection | undefined): Promise<number | undefined> => {
    if (connection === undefined || !connection.rateLimit.allows('scan')) return undefined
    const response = await connection.askForDaemon(request, signal)
    if (response.kind === 'fault') return undefined
    const json = response.status === 200 ? tryParse(response.body, { maxElements }) : undefined
    response.release()
    return json === undefined || typeof json === 'string' ? undefined : headIn(json.value, migrationId)
  }
  const heads = await Promise.all(connections.ofRoster(roster).connections.map(ask))
  return confirmedHead(roster.electorate(), heads)
}

/**
 * Returns the (f+1)-th highest time, which at least one honest super validator has reached. If
 * operators are configured, more than f operators must have reached it, too.
 * @param heads the latest record time of each voter, in milliseconds since 1970; undefined without
 * a reply.
 */
export function confirmedHead(
  electorate: Electorate,
  heads: readonly (number | undefined)[],
): number | undefined {
  const { superValidators, operators } = electorate
  const said = heads.flatMap((at, voter) => (at === undefined ? [] : [{ at, voter }]))
  said.sort((a, b) => b.at - a.at)
  const group: number[] = []
  for (const { at, voter } of said) {
    group.push(voter)
    if (group.length > superValidators.f && hasMoreThan(operators?.f, electorate, group)) return at
  }
  return undefined
}

function hasMoreThan(f: number | undefined, electorate: Electorate, group: Group): boolean {
  return f === undefined || operatorsOf(electorate, group) > f
}

function headIn(json: unknown, migrationId: number): number | undefined {
  const info = readingOf(migrationInfoRequest(migrationId), json)?.value as MigrationInfo | undefined
  const ends = info?.record_time_range.map(({ max }) => Date.parse(max)) ?? []
  return ends.length === 0 ? undefined : Math.max(...ends)
}
