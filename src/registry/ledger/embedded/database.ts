import { existsSync, renameSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { crc32 } from 'node:zlib'
import { systemClock } from '../../../base/lib/clock.ts'
import { createOwnFile } from '../../../base/lib/own-file.ts'
import { Damage, faultText, fileFault, isPassing } from '../../../base/lib/sqlite-faults.ts'
import { folderProblem } from '../../../base/lib/unusable-file.ts'
import { randomIdentity } from '../identifiers.ts'
import { LedgerUnavailable } from '../ledger.ts'
import { schema, Tables } from './tables.ts'

export interface SetAside {
  readonly kind: 'set-aside'
  readonly as: string
  readonly reason: string
}

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
export function openTables(file: string | undefined, tell: (event: SetAside) => void): Tables {
  try {
    try {
      return opened(file)
    } catch (error) {
      if (file === undefined || !isUnreadable(error)) throw error
      tell({ kind: 'set-aside', as: setAside(file), reason: faultText(error) })
      return opened(file)
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
function opened(file: string | undefined): Tables {
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
    ensureFormat(db, isNew)
    checkpoint(db)
    if (file !== undefined) check(db)
    return new Tables(db)
  } catch (error) {
    db.close()
    throw error
  }
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
  const format = crc32(schema) >>> 1
  if (!isNew && pragma(db, 'user_version') !== format) throw new Damage('its format is another one')
  if (!isNew) return
  db.exec(`BEGIN IMMEDIATE; ${schema}`)
  const { synchronizerId, namespace } = randomIdentity()
  db.prepare('INSERT INTO identity VALUES (?, ?)').run(synchronizerId, namespace)
  db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${format}; COMMIT`)
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
