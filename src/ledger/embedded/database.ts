import { existsSync, renameSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { crc32 } from 'node:zlib'
import { systemClock } from '../../lib/clock.ts'
import { createOwnFile } from '../../lib/own-file.ts'
import { Damage, faultText, fileFault, isPassing } from '../../lib/sqlite-faults.ts'
import { folderProblem } from '../../lib/unusable-file.ts'
import { templates } from '../daml/splice/templates.ts'
import { type Identity, randomIdentity } from '../identifiers.ts'
import { LedgerUnavailable } from '../ledger.ts'
import { Tables } from './tables.ts'

export interface DatabaseOptions {
  /** If undefined, the database is in memory. */
  readonly file?: string | undefined
  /** The maximum size of the file. Its write-ahead log does not count. */
  readonly maxBytes?: number | undefined
  /** The identity of a new ledger; a random one by default. */
  readonly identity?: Identity | undefined
}

export interface SetAside {
  readonly kind: 'set-aside'
  readonly as: string
  readonly reason: string
}

/**
 * - `nodes` has the nodes of all updates, in the order of the log. A contract is identified by the
 *   row of the node that created it.
 * - `contracts` has all contracts except those that one transaction both created and archived.
 * - `finders` finds active contracts by stakeholder, with an empty `member`, or by a lookup key of
 *   their template.
 * - `entries` has the registered names. Each index holds every column that a lookup needs, and a
 *   `user` is short, so that SQLite keeps more of the indexes in memory.
 * - `settings` are strings of a party, which are not part of the log.
 * - The row of `pruning` is the position up to which updates are pruned.
 */
const schema = `
CREATE TABLE identity (synchronizer_id TEXT NOT NULL, namespace TEXT NOT NULL) STRICT;
CREATE TABLE log (
  offset INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  update_id TEXT NOT NULL,
  record_time INTEGER NOT NULL,
  command_key BLOB,
  first_node INTEGER NOT NULL,
  node_count INTEGER NOT NULL,
  head TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX log_by_time ON log (record_time);
CREATE UNIQUE INDEX log_by_command ON log (command_key) WHERE command_key IS NOT NULL;
CREATE TABLE nodes (node INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT;
CREATE TABLE contracts (
  node INTEGER PRIMARY KEY,
  template TEXT NOT NULL,
  due_at INTEGER,
  created_offset INTEGER NOT NULL,
  archived_offset INTEGER
) STRICT;
CREATE INDEX contracts_active ON contracts (template) WHERE archived_offset IS NULL;
CREATE INDEX contracts_due ON contracts (template, due_at) WHERE archived_offset IS NULL AND due_at IS NOT NULL;
CREATE INDEX contracts_past ON contracts (archived_offset) WHERE archived_offset IS NOT NULL;
CREATE TABLE finders (
  value TEXT NOT NULL,
  template TEXT NOT NULL,
  member TEXT NOT NULL,
  node INTEGER NOT NULL,
  PRIMARY KEY (value, template, member, node)
) STRICT, WITHOUT ROWID;
CREATE TABLE entries (
  node INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  user TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  created_offset INTEGER NOT NULL,
  archived_offset INTEGER
) STRICT;
CREATE INDEX entries_by_name ON entries (name, node, expires_at) WHERE archived_offset IS NULL;
CREATE INDEX entries_by_user ON entries (user, name, node, expires_at) WHERE archived_offset IS NULL;
CREATE INDEX entries_past ON entries (archived_offset) WHERE archived_offset IS NOT NULL;
CREATE TABLE parties (
  party TEXT PRIMARY KEY,
  user_id TEXT NOT NULL,
  offset INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX parties_by_user ON parties (user_id) WHERE user_id <> '';
CREATE TABLE settings (
  party TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (party, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE pruning (up_to INTEGER NOT NULL, last_node INTEGER NOT NULL) STRICT;
INSERT INTO pruning VALUES (0, 0);
`

/** SQLite's `application_id`, which identifies a file as a ledger's file. An empty file has 0. */
const applicationId = 0x62667431

const largestChecked = 67_108_864

class ForeignFile extends Error {
  override readonly name = 'ForeignFile'
}

/**
 * Opens or creates a ledger's database. SQLite removes a commit that a crash left incomplete, whose
 * submitters have not received a result. A file that cannot be read, or has another format, keeps
 * its content under another name, and a new ledger begins.
 * @throws LedgerUnavailable
 */
export function openTables(options: DatabaseOptions, tell: (event: SetAside) => void): Tables {
  const { file } = options
  try {
    try {
      return opened(options)
    } catch (error) {
      if (file === undefined || !isUnreadable(error)) throw error
      tell({ kind: 'set-aside', as: setAside(file), reason: faultText(error) })
      return opened(options)
    }
  } catch (error) {
    throw new LedgerUnavailable(why(error, file), { cause: error })
  }
}

/**
 * - With `synchronous=FULL`, SQLite syncs the write-ahead log at each commit, so that committed
 *   data is on the disk.
 * - The exclusive lock keeps other processes out until the file is closed or this process ends.
 * - A commit moves the write-ahead log into the file whenever the log has `wal_autocheckpoint`
 *   pages. This takes longer for more pages, and the event loop waits for it.
 */
function opened({ file, maxBytes, identity }: DatabaseOptions): Tables {
  if (file !== undefined) createOwnFile(file)
  const db = new DatabaseSync(file ?? ':memory:')
  try {
    // Without the lock, SQLite would need room for a file beside this one before it reads.
    db.exec('PRAGMA locking_mode = EXCLUSIVE')
    const isNew = isEmpty(db)
    db.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA journal_size_limit = 67108864;
      PRAGMA wal_autocheckpoint = 512;
      PRAGMA cache_size = -16384;
      PRAGMA temp_store = MEMORY;
    `)
    if (maxBytes !== undefined) limit(db, maxBytes)
    ensureFormat(db, isNew)
    checkpoint(db)
    if (file !== undefined) check(db)
    return new Tables(db, ensureIdentity(db, identity))
  } catch (error) {
    db.close()
    throw error
  }
}

/** SQLite takes the limit as a number of pages, whose size is that of the existing file. */
function limit(db: DatabaseSync, maxBytes: number): void {
  // SQLite would interpret 0 as no limit.
  db.exec(`PRAGMA max_page_count = ${Math.max(1, Math.floor(maxBytes / pragma(db, 'page_size')))}`)
}

/** @throws ForeignFile */
function isEmpty(db: DatabaseSync): boolean {
  const owner = pragma(db, 'application_id')
  const { tables } = db.prepare('SELECT count(*) AS tables FROM sqlite_schema').get() as { tables: number }
  if (owner !== applicationId && (owner !== 0 || tables > 0)) throw new ForeignFile('is no ledger')
  return tables === 0
}

/**
 * SQLite's `user_version`, a positive 32-bit integer, is a checksum of the schema.
 * @throws Damage if the file has another format.
 */
function ensureFormat(db: DatabaseSync, isNew: boolean): void {
  const indexing = [...templates].map(([name, { indexed, dueField }]) => [
    name,
    { members: indexed, due: dueField },
  ])
  const format = crc32(`${schema}${JSON.stringify(indexing)}`) >>> 1
  if (!isNew && pragma(db, 'user_version') !== format) throw new Damage('its format is another one')
  if (!isNew) return
  db.exec(`BEGIN IMMEDIATE; ${schema}`)
  db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${format}; COMMIT`)
}

function ensureIdentity(db: DatabaseSync, given: Identity = randomIdentity()): Identity {
  const select = 'SELECT synchronizer_id AS synchronizerId, namespace FROM identity'
  const known = db.prepare(select).get() as Identity | undefined
  if (known !== undefined) return known
  db.prepare('INSERT INTO identity VALUES (?, ?)').run(given.synchronizerId, given.namespace)
  return given
}

/**
 * Checks a whole file that is small. The check of a large one would make the start long, so damage
 * in it is found when it is read.
 * @throws Damage
 */
function check(db: DatabaseSync): void {
  if (pragma(db, 'page_count') * pragma(db, 'page_size') > largestChecked) return
  const [problem] = Object.values(db.prepare('PRAGMA quick_check(1)').get() ?? {})
  // SQLite may return several lines: a heading, and then the problem in the last line.
  if (problem !== 'ok') throw new Damage(String(problem).trim().split('\n').at(-1))
}

/**
 * Moves the content of the write-ahead log into the file. On a full disk the log stays as it is,
 * and the ledger can still be read.
 */
function checkpoint(db: DatabaseSync): void {
  try {
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  } catch (error) {
    const fault = fileFault(error)
    if (fault === undefined || !isPassing(fault)) throw error
  }
}

/**
 * A damaged page can also cause an error that `fileFault` does not know. A file of another program
 * stays where it is.
 */
function isUnreadable(error: unknown): boolean {
  if (error instanceof ForeignFile || !(error instanceof Error)) return false
  return (fileFault(error) ?? ('syscall' in error ? 'broken' : 'damaged')) === 'damaged'
}

/** The files that SQLite keeps beside a database belong to it, so they get the new name, too. */
function setAside(file: string): string {
  const time = new Date(systemClock.wall()).toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const aside = `${file}.unreadable-${time}`
  renameSync(file, aside)
  for (const suffix of ['-wal', '-shm'])
    if (existsSync(`${file}${suffix}`)) renameSync(`${file}${suffix}`, `${aside}${suffix}`)
  return aside
}

function pragma(db: DatabaseSync, name: string): number {
  return Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0] as number
}

function why(error: unknown, file = 'in memory'): string {
  if (error instanceof ForeignFile) return `The ledger file ${file} ${error.message}.`
  switch (fileFault(error)) {
    case 'busy':
      return `The ledger file ${file} is in use by another process.`
    case 'full':
    case 'refused':
      return `There is no room for the ledger file ${file}: ${faultText(error)}.`
    case 'broken':
      return `The ledger file ${file} cannot be opened: ${folderProblem(file) ?? faultText(error)}.`
    default:
      return `The ledger file ${file} cannot be opened: ${faultText(error)}.`
  }
}
