import { DatabaseSync } from 'node:sqlite'
import { createOwnFile } from '../lib/own-file.ts'

/** SQLite's code for a database that another connection has locked. */
const busy = 5

/**
 * Locks a file for this process. The lock is SQLite's lock on an empty file beside it (`<path>.lock`). The
 * operating system releases the lock when the process ends, even after a crash. If SQLite cannot lock, for
 * example because the file system has no locks, the returned object locks nothing.
 * @returns the lock, or `held` if another process, or an earlier call in this process, has locked the file.
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
