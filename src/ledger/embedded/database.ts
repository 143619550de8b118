import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { createOwnFile } from '../../lib/own-file.ts'
import { faultText, fileFault, isPassing } from '../../lib/sqlite-faults.ts'
import { folderProblem } from '../../lib/unusable-file.ts'
import { ForeignFile, formatOf, migrate } from './migrations.ts'
import type { LogState } from './wal-inspection.ts'

export interface DatabaseOptions {
  readonly file?: string | undefined
  /** The maximum size of the file. Its write-ahead log does not count. */
  readonly maxBytes?: number | undefined
}

/**
 * Thrown if the file cannot be opened. The message is a sentence for the operator of the daemon.
 */
export class CannotOpen extends Error {
  override readonly name = 'CannotOpen'
}

/**
 * The nodes of one update take about twelve kilobytes. With smaller pages, each update would write
 * more pages.
 */
const pageBytes = 8192

/**
 * Opens or creates a database file.
 * - With `synchronous=FULL`, SQLite syncs the write-ahead log at each commit, so that committed
 *   data is on the disk.
 * - The exclusive lock keeps other processes out until the file is closed or this process ends.
 *
 * @param mayConvert decides whether the tables of an older version are converted.
 * @throws CannotOpen
 */
export function openDatabase(
  { file, maxBytes }: DatabaseOptions,
  mayConvert: (db: DatabaseSync) => boolean = () => true,
): DatabaseSync {
  let db: DatabaseSync | undefined
  try {
    if (file !== undefined) createOwnFile(file)
    db = new DatabaseSync(file ?? ':memory:')
    db.exec(`
      PRAGMA page_size = ${pageBytes};
      PRAGMA locking_mode = EXCLUSIVE;
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA journal_size_limit = 67108864;
      PRAGMA wal_autocheckpoint = 2000;
      PRAGMA cache_size = -16384;
      PRAGMA temp_store = MEMORY;
    `)
    if (maxBytes !== undefined) limit(db, maxBytes)
    if (formatOf(db) !== 'older' || mayConvert(db)) migrate(db)
    checkpoint(db)
    return db
  } catch (error) {
    db?.close()
    throw cannotOpen(error, file)
  }
}

/**
 * SQLite takes the limit as a number of pages. An existing file can have another page size than
 * `pageBytes`.
 */
function limit(db: DatabaseSync, maxBytes: number): void {
  const { page_size: bytes } = db.prepare('PRAGMA page_size').get() as { page_size: number }
  // SQLite would interpret 0 as no limit.
  db.exec(`PRAGMA max_page_count = ${Math.max(1, Math.floor(maxBytes / bytes))}`)
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

export function openToRead(file: string): DatabaseSync {
  return openReadOnly(file, file)
}

/**
 * Opens a file that no process writes and that has no write-ahead log. SQLite then needs no locks
 * and creates no other files, so the folder may be read-only.
 */
export function openSealed(file: string): DatabaseSync {
  const url = pathToFileURL(file)
  url.searchParams.set('immutable', '1')
  return openReadOnly(url, file)
}

function openReadOnly(address: string | URL, file: string): DatabaseSync {
  try {
    return new DatabaseSync(address, { readOnly: true })
  } catch (error) {
    throw cannotOpen(error, file)
  }
}

/**
 * The caller must throw this error before SQLite opens the file: SQLite would delete the log or
 * merge it into the file.
 */
export function unusableLog(
  file: string,
  { kind, bytes }: Extract<LogState, { kind: 'foreign' | 'orphaned' }>,
): CannotOpen {
  const fault = kind === 'orphaned' ? 'is empty' : 'has pages of another size'
  return new CannotOpen(
    `The ledger file ${file} ${fault}, and its write-ahead log holds ${bytes} bytes: one of the two is damaged, or not its own.`,
  )
}

export function cannotOpen(error: unknown, file: string | undefined): CannotOpen {
  return error instanceof CannotOpen ? error : new CannotOpen(why(error, file), { cause: error })
}

function why(error: unknown, file = 'in memory'): string {
  if (error instanceof ForeignFile) return `The ledger file ${file} ${error.message}.`
  switch (fileFault(error)) {
    case 'busy':
      return `The ledger file ${file} is in use by another process.`
    case 'damaged':
      return `The ledger file ${file} is damaged, or is no ledger: ${faultText(error)}.`
    case 'full':
    case 'refused':
      return `There is no room for the ledger file ${file}: ${faultText(error)}.`
    case 'broken':
      return `The ledger file ${file} cannot be opened: ${folderProblem(file) ?? faultText(error)}.`
    default:
      return `The ledger file ${file} ${unknownFault(error)}.`
  }
}

function unknownFault(error: unknown): string {
  if (!(error instanceof Error)) return 'cannot be opened'
  if ('errcode' in error) return `is damaged, or is no ledger: ${error.message}`
  return 'syscall' in error
    ? `cannot be opened: ${error.message}`
    : 'is damaged: it holds something else than was written'
}
