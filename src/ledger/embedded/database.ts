import { DatabaseSync } from 'node:sqlite'
import { createOwnFile } from '../../lib/own-file.ts'
import { faultText, fileFault, isPassing } from '../../lib/sqlite-faults.ts'
import { folderProblem } from '../../lib/unusable-file.ts'
import { createTables, ForeignFile } from './schema.ts'

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
 * @throws ForeignFile, or an error of SQLite
 */
export function openDatabase({ file, maxBytes }: DatabaseOptions): DatabaseSync {
  if (file !== undefined) createOwnFile(file)
  const db = new DatabaseSync(file ?? ':memory:')
  try {
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
    createTables(db)
    checkpoint(db)
    return db
  } catch (error) {
    db.close()
    throw error
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
      return `The ledger file ${file} cannot be opened: ${faultText(error)}.`
  }
}
