import { DatabaseSync } from 'node:sqlite'

/** SQLite's code for a database that another connection has locked. */
const busy = 5

/**
 * Locks a file for this process, through a lock of SQLite on an empty file beside it. The system ends the lock with
 * the process, however that ends. Where the file system has no locks, nothing is locked.
 * @returns the lock, or `held` if another process or another part of this one has it.
 */
export function lockFile(path: string): Disposable | 'held' {
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(`${path}.lock`)
    database.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    database?.close()
    if ((error as { readonly errcode?: number }).errcode === busy) return 'held'
    return { [Symbol.dispose]() {} }
  }
  const held = database
  return { [Symbol.dispose]: () => held.close() }
}
