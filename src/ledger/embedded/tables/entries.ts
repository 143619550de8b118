import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { EntryFilter } from '../../ledger.ts'
import { type ChainMoment, present } from '../chain.ts'
import type { EntryKeys } from '../keys.ts'

/** Each index holds every column that a lookup needs, which saves the read of one page. */
export const createEntries = `
CREATE TABLE entries (
  node INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  user TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  created_offset INTEGER NOT NULL,
  archived_offset INTEGER
) STRICT;
CREATE INDEX entries_by_name ON entries (name, node, user, expires_at) WHERE archived_offset IS NULL;
CREATE INDEX entries_by_user ON entries (user, name, node, expires_at) WHERE archived_offset IS NULL;
CREATE INDEX entries_past ON entries (archived_offset) WHERE archived_offset IS NOT NULL;
`

export interface EntryRow extends EntryKeys {
  readonly node: number
}

type Values = readonly (string | number | Uint8Array)[]

const columns = 'node, name, user, expires_at AS expiresAt'
/** An upper limit that is greater than every name. SQLite sorts every BLOB after every TEXT. */
const afterAllNames = Buffer.alloc(0)

/**
 * The registered names. An archived entry stays in the table until it is pruned, because reads of
 * an earlier ledger state need it.
 */
export class EntriesTable {
  readonly #add: StatementSync
  readonly #archive: StatementSync
  readonly #byName: StatementSync
  readonly #byUser: StatementSync
  readonly #byPrefix: StatementSync
  readonly #past: StatementSync

  constructor(db: DatabaseSync) {
    this.#add = db.prepare(
      'INSERT INTO entries (node, name, user, expires_at, created_offset) VALUES (?, ?, ?, ?, ?)',
    )
    this.#archive = db.prepare('UPDATE entries SET archived_offset = ? WHERE node = ?')
    const active = (by: string) =>
      db.prepare(
        `SELECT ${columns} FROM entries
         WHERE archived_offset IS NULL AND ${by} AND name >= ? AND name < ? AND node <= ? AND expires_at >= ?
         ORDER BY name, node LIMIT ?`,
      )
    this.#byName = active('name = ?')
    this.#byUser = active('user = ?')
    this.#byPrefix = active('TRUE')
    this.#past = db.prepare(
      `SELECT ${columns} FROM entries
       WHERE archived_offset > ?1 AND created_offset <= ?1 AND expires_at >= ?2 ORDER BY name, node`,
    )
  }

  add(node: number, { name, user, expiresAt }: EntryKeys, offset: number): void {
    this.#add.run(node, name, user, expiresAt, offset)
  }

  archive(node: number, offset: number): void {
    this.#archive.run(offset, node)
  }

  /**
   * The entries are sorted by name in the order of code points, and entries of the same name by
   * creation.
   */
  find(filter: EntryFilter, moment: ChainMoment): readonly EntryRow[] {
    const active = this.#active(filter, moment)
    if (moment === present) return active
    const past = (this.#past.all(moment.offset, expiry(filter)) as unknown as EntryRow[]).filter((row) =>
      isMeant(row, filter),
    )
    return past.length === 0 ? active : merge(active, past).slice(0, filter.limit)
  }

  #active(filter: EntryFilter, { lastNode }: ChainMoment): readonly EntryRow[] {
    const { name, user, prefix = '', limit } = filter
    const end = afterPrefix(prefix) ?? afterAllNames
    const rest: Values = [prefix, end, lastNode, expiry(filter), limit]
    if (name === undefined && user === undefined) return all(this.#byPrefix, rest)
    if (name === undefined) return all(this.#byUser, [user as string, ...rest])
    if (user === undefined) return all(this.#byName, [name, ...rest])
    const unlimited: Values = [name, prefix, end, lastNode, expiry(filter), -1]
    return all(this.#byName, unlimited)
      .filter((row) => row.user === user)
      .slice(0, limit)
  }
}

function all(statement: StatementSync, values: Values): readonly EntryRow[] {
  return statement.all(...values) as unknown as EntryRow[]
}

function expiry({ notExpiredAt = Number.MIN_SAFE_INTEGER }: EntryFilter): number {
  return notExpiredAt
}

function isMeant({ name, user }: EntryRow, filter: EntryFilter): boolean {
  const isNamed = filter.name === undefined || filter.name === name
  return (
    isNamed && (filter.user === undefined || filter.user === user) && name.startsWith(filter.prefix ?? '')
  )
}

function merge(a: readonly EntryRow[], b: readonly EntryRow[]): readonly EntryRow[] {
  return [...a, ...b].sort((one, other) => {
    const names = Buffer.compare(Buffer.from(one.name), Buffer.from(other.name))
    return names === 0 ? one.node - other.node : names
  })
}

/**
 * Returns the lowest string after all strings with this prefix, in the order of code points. SQLite
 * sorts the column `name` in the same order (BINARY collation, UTF-8).
 */
export function afterPrefix(prefix: string): string | undefined {
  const points = [...prefix]
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    const next = nextPoint(last.codePointAt(0) as number)
    if (next !== undefined) return points.join('') + String.fromCodePoint(next)
  }
  return undefined
}

function nextPoint(point: number): number | undefined {
  if (point === 0x10ffff) return undefined
  return point === 0xd7ff ? 0xe000 : point + 1
}
