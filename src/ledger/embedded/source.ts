import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { requireRegularFile } from '../../lib/regular-file.ts'
import { cannotOpen, openSealed, openToRead, unusableLog } from './database.ts'
import { inspectLog, type LogState, pageBytesOf } from './wal-inspection.ts'
import { rewriteLog } from './wal-repair.ts'

export interface Source extends Disposable {
  readonly db: DatabaseSync
  readonly problem: string | undefined
}

/**
 * Opens a file that is to be verified or rebuilt. The file stays unchanged. In two cases, a copy in
 * `folder` is opened instead:
 * - The write-ahead log lost its header, so SQLite would ignore the log. The copy gets a new header
 *   (`wal-repair.ts`).
 * - The write-ahead log belongs to another file, but SQLite would use it. The copy gets no log.
 *
 * @throws CannotOpen
 */
export function openSource(file: string, folder: string): Source {
  try {
    requireRegularFile(file)
  } catch (error) {
    throw cannotOpen(error, file)
  }
  const log = inspectLog(file)
  switch (log.kind) {
    case 'none':
      // While a daemon has the file open, the write-ahead log exists, even if it is empty.
      return opened(existsSync(`${file}-wal`) ? openToRead(file) : openSealed(file), undefined)
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
