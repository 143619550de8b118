import type { DatabaseSync } from 'node:sqlite'
import { Damage } from '../../lib/sqlite-faults.ts'
import type { Identity } from './identity.ts'
import { createContracts } from './tables/contracts.ts'
import { createDue } from './tables/due.ts'
import { coverEntries, createEntries } from './tables/entries.ts'
import { createFinders } from './tables/finders.ts'
import { createKinds } from './tables/kinds.ts'
import { addChecksums, createLog } from './tables/log.ts'
import { createNodes } from './tables/nodes.ts'
import { createParties } from './tables/parties.ts'
import { createPruning } from './tables/pruning.ts'
import { createSettings } from './tables/settings.ts'

/** SQLite's `application_id`, which identifies a file as a ledger's file. An empty file has 0. */
const applicationId = 0x62667431

const createIdentity = `
CREATE TABLE identity (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  synchronizer_id TEXT NOT NULL,
  namespace TEXT NOT NULL,
  indexing TEXT NOT NULL
) STRICT;
`

/**
 * The version of a file is the number of migrations that were applied to it. A released migration
 * never changes; new migrations are appended.
 */
const migrations: readonly string[] = [
  [
    createIdentity,
    createLog,
    createNodes,
    createKinds,
    createContracts,
    createFinders,
    createDue,
    createEntries,
    createParties,
    createSettings,
  ].join(''),
  createPruning,
  coverEntries,
  addChecksums,
]

export class ForeignFile extends Error {
  override readonly name = 'ForeignFile'
}

export function migrate(db: DatabaseSync): void {
  const version = versionOf(db)
  if (version === migrations.length) return
  db.exec('BEGIN IMMEDIATE')
  for (const migration of migrations.slice(version)) db.exec(migration)
  db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${migrations.length}; COMMIT`)
}

export function formatOf(db: DatabaseSync): 'none' | 'older' | 'present' {
  const version = versionOf(db)
  if (version === 0) return 'none'
  return version === migrations.length ? 'present' : 'older'
}

function versionOf(db: DatabaseSync): number {
  const version = pragma(db, 'user_version')
  const owner = pragma(db, 'application_id')
  const tables = db.prepare('SELECT count(*) AS tables FROM sqlite_schema').get() as { tables: number }
  if (owner !== applicationId && (owner !== 0 || tables.tables > 0)) throw new ForeignFile('is no ledger')
  if (version > migrations.length)
    throw new ForeignFile(
      `was written by a newer version (its format is ${version}, known are up to ${migrations.length})`,
    )
  return version
}

export interface StoredIdentity extends Identity {
  /**
   * The lookup keys, as JSON, with which the tables `finders` and `due` were last built. If they
   * differ from the present keys, `open-state.ts` builds both tables anew.
   */
  readonly indexing: string
}

/**
 * Returns undefined for a new file. Files of older versions can be read too, because the table
 * `identity` has the same columns in all versions.
 * @throws ForeignFile, Damage
 */
export function tryIdentity(db: DatabaseSync): StoredIdentity | undefined {
  if (versionOf(db) === 0) return undefined
  const row = db.prepare('SELECT synchronizer_id AS synchronizerId, namespace, indexing FROM identity').get()
  if (row === undefined) return undefined
  if (!Object.values(row).every((value) => typeof value === 'string'))
    throw new Damage('its identity is not what was written')
  return row as unknown as StoredIdentity
}

export function getIdentity(db: DatabaseSync): StoredIdentity {
  const identity = tryIdentity(db)
  if (identity === undefined)
    throw new ForeignFile('is no ledger, or is a copy without the -wal that was beside it')
  return identity
}

export function writeIdentity(
  db: DatabaseSync,
  { synchronizerId, namespace, indexing }: StoredIdentity,
): void {
  db.prepare(
    'INSERT OR REPLACE INTO identity (id, synchronizer_id, namespace, indexing) VALUES (1, ?, ?, ?)',
  ).run(synchronizerId, namespace, indexing)
}

function pragma(db: DatabaseSync, name: string): number {
  return Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0] as number
}
