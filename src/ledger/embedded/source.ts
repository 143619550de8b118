import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { openToRead, unusableLog } from './database.ts'
import { inspectLog, type LogState, pageBytesOf } from './wal-inspection.ts'
import { rewriteLog } from './wal-repair.ts'

/** A ledger's file, opened for reading with the usable part of its write-ahead log. */
export interface Source extends Disposable {
  readonly db: DatabaseSync
  /**
   * A sentence about the damage of the write-ahead log. Undefined in three cases: there is no log, the log is
   * intact, or only the end of its last commit is missing.
   */
  readonly problem: string | undefined
}

/**
 * Opens a file that is to be verified or rebuilt. The file stays unchanged. In two cases, this function makes
 * a copy and opens the copy instead:
 * - The write-ahead log lost its header. SQLite would ignore the log, so the copy gets a log with a new
 *   header (`wal-repair.ts`).
 * - The write-ahead log belongs to another file. SQLite would use it, so the copy gets no log.
 *
 * @param folder the folder for the copy. The copy is deleted when the returned `Source` is disposed of.
 * @throws CannotOpen
 */
export function openSource(file: string, folder: string): Source {
  const log = inspectLog(file)
  switch (log.kind) {
    case 'none':
    case 'whole':
    case 'torn':
      return opened(openToRead(file), undefined)
    case 'damaged':
      return opened(openToRead(file), problemOf(log))
    case 'headless':
    case 'foreign':
      return openCopy(file, folder, log)
    case 'orphaned':
      throw unusableLog(file, log)
  }
}

type Damaged = Extract<LogState, { kind: 'damaged' | 'headless' | 'foreign' }>

function problemOf({ kind, bytes }: Damaged): string {
  switch (kind) {
    case 'damaged':
      return `The write-ahead log is damaged ${bytes} bytes before its end.`
    case 'headless':
      return `The header of the write-ahead log does not hold; ${bytes} bytes are in the log.`
    case 'foreign':
      return 'The write-ahead log is of a file with pages of another size, and was not read.'
  }
}

function openCopy(file: string, folder: string, log: Damaged): Source {
  const own = mkdtempSync(join(folder, 'ledger-'))
  const copy = join(own, 'copy')
  try {
    copyFileSync(file, copy)
    const pageBytes = pageBytesOf(file)
    if (log.kind === 'headless' && pageBytes !== undefined)
      rewriteLog(`${file}-wal`, `${copy}-wal`, pageBytes)
    return opened(openToRead(copy), problemOf(log), () => rmSync(own, { recursive: true }))
  } catch (error) {
    rmSync(own, { recursive: true })
    throw error
  }
}

function opened(db: DatabaseSync, problem: string | undefined, closed = () => {}): Source {
  const close = () => {
    db.close()
    closed()
  }
  return { db, problem, [Symbol.dispose]: close }
}
