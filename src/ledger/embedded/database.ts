import { DatabaseSync } from 'node:sqlite'
import { faultText, fileFault, isPassing } from './faults.ts'
import { ForeignFile, migrate } from './migrations.ts'
import type { LogState } from './wal-inspection.ts'

export interface DatabaseOptions {
  /** Default: in memory. */
  readonly file?: string | undefined
  /** The file never grows beyond this, its write-ahead log apart. */
  readonly maxBytes?: number | undefined
}

/** The file cannot be opened. The message is a sentence for an operator. */
export class CannotOpen extends Error {
  override readonly name = 'CannotOpen'
}

/** The nodes of one update take some twelve kilobytes, which smaller pages would split into more writes. */
const pageBytes = 8192

/**
 * Opens a file for this process alone, with the tables of this version. What is committed is on the disk:
 * `synchronous=FULL` syncs the write-ahead log with each commit. Exclusive locking keeps other processes out until
 * this one ends, however it ends.
 *
 * @throws CannotOpen
 */
export function openDatabase({ file, maxBytes }: DatabaseOptions): DatabaseSync {
  let db: DatabaseSync | undefined
  try {
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
    if (maxBytes !== undefined) db.exec(`PRAGMA max_page_count = ${Math.floor(maxBytes / pageBytes)}`)
    migrate(db)
    checkpoint(db)
    return db
  } catch (error) {
    db?.close()
    throw cannotOpen(error, file)
  }
}

/** With a full disk the write-ahead log keeps its length, and the ledger still opens for reading. */
function checkpoint(db: DatabaseSync): void {
  try {
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  } catch (error) {
    const fault = fileFault(error)
    if (fault === undefined || !isPassing(fault)) throw error
  }
}

/**
 * Opens a file for reading, and changes nothing of it, its write-ahead log included.
 *
 * @throws CannotOpen
 */
export function openToRead(file: string): DatabaseSync {
  try {
    return new DatabaseSync(file, { readOnly: true })
  } catch (error) {
    throw cannotOpen(error, file)
  }
}

/** For a write-ahead log that is of no use beside this file, and that SQLite would delete or take for its own. */
export function unusableLog(
  file: string,
  { kind, bytes }: Extract<LogState, { kind: 'foreign' | 'orphaned' }>,
): CannotOpen {
  const fault = kind === 'orphaned' ? 'is empty' : 'has pages of another size'
  return new CannotOpen(
    `The ledger file ${file} ${fault}, and its write-ahead log holds ${bytes} bytes: one of the two is damaged, or not its own.`,
  )
}

/** With a sentence about the file. */
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
      return `The ledger file ${file} cannot be opened: ${faultText(error)}.`
    default:
      return `The ledger file ${file} ${unknownFault(error)}.`
  }
}

/**
 * Describes an error for which there is one explanation only: the file is damaged, or is no ledger. In a ledger's file every
 * statement fits the tables, and every stored value can be read.
 */
function unknownFault(error: unknown): string {
  if (!(error instanceof Error)) return 'cannot be opened'
  if ('errcode' in error) return `is damaged, or is no ledger: ${error.message}`
  return 'syscall' in error
    ? `cannot be opened: ${error.message}`
    : 'is damaged: it holds something else than was written'
}
