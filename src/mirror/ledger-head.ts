import { type Electorate, type Group, operatorsOf } from '../quorum/electorate.ts'
import { holdingOfMigration, type MigrationInfo } from '../reads/holding.ts'
import { readingOf } from '../reads/reading.ts'
import type { Connection, Connections } from '../scan/connections.ts'
import { tryParse } from '../scan/judgement.ts'
import type { Roster } from '../scan/roster.ts'

export interface HeadDeps {
  readonly connections: Pick<Connections, 'ofRoster'>
  readonly requestTimeoutMs: number
}

const maxBytes = 65_536
/** A hundred ranges of time have some hundreds of JSON elements. */
const maxElements = 4_096

/**
 * Asks every super validator how far its scan has come in a migration, and returns a record time that the ledger has
 * surely reached: milliseconds since 1970. Undefined if too few answer. Rejects only when the signal aborts.
 */
export async function agreedHead(
  migrationId: number,
  roster: Roster,
  { connections, requestTimeoutMs: timeoutMs }: HeadDeps,
  signal: AbortSignal,
): Promise<number | undefined> {
  const { method, path, body = '' } = holdingOfMigration(migrationId)
  const request = { method, path: `/api/scan${path}`, body, maxBytes, timeoutMs }
  const ask = async (connection: Connection | undefined): Promise<number | undefined> => {
    if (connection === undefined || !connection.rateLimit.allows('scan')) return undefined
    const response = await connection.ask(request, signal)
    if (response.kind === 'fault') return undefined
    const json = response.status === 200 ? tryParse(response.body, { maxElements }) : undefined
    response.release()
    return json === undefined || typeof json === 'string' ? undefined : headIn(json.value, migrationId)
  }
  const heads = await Promise.all(connections.ofRoster(roster).connections.map(ask))
  return confirmedHead(roster.electorate(), heads)
}

/**
 * Returns the latest time that at least one honest super validator has reached: the (f+1)-th highest of these times.
 * Where operators are configured, it takes more operators than may be faulty, too.
 * @param heads by voter: milliseconds since 1970, or undefined for a voter that said nothing.
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
  const info = readingOf(holdingOfMigration(migrationId), json)?.value as MigrationInfo | undefined
  const ends = info?.record_time_range.map(({ max }) => Date.parse(max)) ?? []
  return ends.length === 0 ? undefined : Math.max(...ends)
}
