import type { DatabaseSync } from 'node:sqlite'
import { Damage } from '../../lib/sqlite-faults.ts'
import type { Identity } from './identity.ts'
import { createContracts } from './tables/contracts.ts'
import { createDue } from './tables/due.ts'
import { createEntries } from './tables/entries.ts'
import { createFinders } from './tables/finders.ts'
import { createKinds } from './tables/kinds.ts'
import { createLog } from './tables/log.ts'
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
 * SQLite's `user_version`. A change of any table must raise it: the daemon then begins a new file
 * instead of misreading one of another format.
 */
const format = 4

const schema = [
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
  createPruning,
].join('')

export class ForeignFile extends Error {
  override readonly name = 'ForeignFile'
}

/** @throws ForeignFile, or Damage if the file has an older format. */
export function createTables(db: DatabaseSync): void {
  const version = pragma(db, 'user_version')
  const owner = pragma(db, 'application_id')
  const { tables } = db.prepare('SELECT count(*) AS tables FROM sqlite_schema').get() as { tables: number }
  if (owner !== applicationId && (owner !== 0 || tables > 0)) throw new ForeignFile('is no ledger')
  if (version > format)
    throw new ForeignFile(
      `was written by a newer version (its format is ${version}, this one reads ${format})`,
    )
  if (version === format) return
  if (version > 0) throw new Damage(`its format is ${version}, and this version reads ${format}`)
  db.exec(`BEGIN IMMEDIATE; ${schema}`)
  db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${format}; COMMIT`)
}

export interface StoredIdentity extends Identity {
  /**
   * The lookup keys, as JSON, with which the tables `finders` and `due` were last built. If they
   * differ from the present keys, `open-state.ts` builds both tables anew.
   */
  readonly indexing: string
}

/** Returns undefined for a new file.
 * @throws Damage
 */
export function tryIdentity(db: DatabaseSync): StoredIdentity | undefined {
  const row = db.prepare('SELECT synchronizer_id AS synchronizerId, namespace, indexing FROM identity').get()
  if (row === undefined) return undefined
  if (!Object.values(row).every((value) => typeof value === 'string'))
    throw new Damage('its identity is not what was written')
  return row as unknown as StoredIdentity
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
