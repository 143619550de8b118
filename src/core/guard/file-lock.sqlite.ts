import { DatabaseSync } from 'node:sqlite'
import { createOwnFile } from '../../base/lib/own-file.ts'

/** SQLITE_BUSY: another connection has locked the database. */
const busy = 5

/**
 * Locks a file through SQLite's lock on an empty file beside it, `<path>.lock`. The operating
 * system releases that lock even after a crash.
 * If the file system has no locks, the returned object locks nothing.
 * @returns `held` if another process, or an earlier call in this process, has the lock.
 */
export function lockFile(path: string): Disposable | 'held' {
  const lockPath = `${path}.lock`
  createOwnFile(lockPath)
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(lockPath)
    database.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    database?.close()
    if ((error as { readonly errcode?: number }).errcode === busy) return 'held'
    return { [Symbol.dispose]() {} }
  }
  const held = database
  return { [Symbol.dispose]: () => held.close() }
}
