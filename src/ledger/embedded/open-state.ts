import { existsSync, renameSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { systemClock } from '../../lib/clock.ts'
import { Damage, faultText, fileFault } from '../../lib/sqlite-faults.ts'
import type { ChainTail } from './chain.ts'
import { cannotOpen, openDatabase } from './database.ts'
import { type Identity, randomIdentity } from './identity.ts'
import type { Indexing } from './interpreter.ts'
import type { LedgerEvent, Start } from './protocol.ts'
import { ForeignFile, type StoredIdentity, tryIdentity, writeIdentity } from './schema.ts'
import { State } from './state.ts'
import { checkTables } from './table-check.ts'

const checkedUpdates = 32

export interface OpenState extends Disposable {
  readonly db: DatabaseSync
  readonly identity: Identity
  readonly state: State
  readonly tail: ChainTail
}

/**
 * Opens or creates a ledger's file. SQLite removes a commit that a crash left incomplete, whose
 * submitters have not received a result. A file that is damaged keeps its content under another
 * name, and a new ledger begins.
 * @throws CannotOpen
 */
export function openState(start: Start, indexing: Indexing, tell: (event: LedgerEvent) => void): OpenState {
  const { file } = start
  try {
    try {
      return opened(start, indexing, tell)
    } catch (error) {
      if (file === undefined || !isUnreadable(error)) throw error
      tell({ kind: 'set-aside', as: setAside(file), reason: faultText(error) })
      return opened(start, indexing, tell)
    }
  } catch (error) {
    throw cannotOpen(error, file)
  }
}

function opened(start: Start, indexing: Indexing, tell: (event: LedgerEvent) => void): OpenState {
  const db = openDatabase(start)
  try {
    const identity = ensureIdentity(db, start.identity, indexing)
    const state = new State(db, identity, indexing)
    const tail = state.log.tail(checkedUpdates)
    const problem = start.file === undefined ? undefined : checkTables(db)
    if (problem !== undefined) throw new Damage(problem)
    const text = indexingText(indexing)
    if (identity.indexing !== text) {
      db.exec('BEGIN IMMEDIATE')
      state.reindex()
      writeIdentity(db, { ...identity, indexing: text })
      db.exec('COMMIT')
      tell({ kind: 'reindexed' })
    }
    return { db, identity, state, tail, [Symbol.dispose]: () => db.close() }
  } catch (error) {
    db.close()
    throw error
  }
}

/**
 * A damaged page can also cause an error that `fileFault` does not know. A file of another program
 * or of a newer version stays where it is.
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

function ensureIdentity(db: DatabaseSync, given: Identity | undefined, indexing: Indexing): StoredIdentity {
  const known = tryIdentity(db)
  if (known !== undefined) return known
  const identity = { ...(given ?? randomIdentity()), indexing: indexingText(indexing) }
  writeIdentity(db, identity)
  return identity
}

function indexingText(indexing: Indexing): string {
  return JSON.stringify([...indexing].sort(([a], [b]) => (a < b ? -1 : 1)))
}
