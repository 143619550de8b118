import type { DatabaseSync } from 'node:sqlite'
import { genesis, type Tail } from './chain.ts'
import { cannotOpen, openDatabase, openToRead } from './database.ts'
import { faultText, fileFault } from './faults.ts'
import { type Identity, randomIdentity } from './identity.ts'
import type { Indexing } from './interpreter.ts'
import { readIdentity, type StoredIdentity, writeIdentity } from './migrations.ts'
import type { LedgerEvent, Start } from './protocol.ts'
import { State } from './state.ts'
import { type TornTail, tornTail } from './wal.ts'

/** How many updates at the log's end are checked against their ids when it is opened. */
const checkedUpdates = 32

/** A ledger's tables, open. */
export interface OpenState extends Disposable {
  readonly db: DatabaseSync
  readonly identity: Identity
  readonly state: State
  readonly tail: Tail
  /** Why nothing may be written; undefined where all is well. */
  readonly damage: string | undefined
}

/**
 * Opens a ledger's file, or makes it. What a crash left of a commit that was never acknowledged is cut; a file that
 * lost more than that is opened for reading only.
 *
 * @throws CannotOpen
 */
export function openState(start: Start, indexing: Indexing, tell: (event: LedgerEvent) => void): OpenState {
  const torn = start.file === undefined ? undefined : tornTail(`${start.file}-wal`)
  if (torn !== undefined && torn.commits > 1) return openBroken(start.file as string, torn, indexing)
  const db = openDatabase(start)
  if (torn !== undefined) tell({ kind: 'tail-cut', ...torn })
  try {
    return openTables(db, start, indexing, tell)
  } catch (error) {
    db.close()
    throw cannotOpen(error, start.file)
  }
}

function openTables(
  db: DatabaseSync,
  start: Start,
  indexing: Indexing,
  tell: (event: LedgerEvent) => void,
): OpenState {
  const identity = ensureIdentity(db, start.identity, indexing)
  const state = new State(db, identity, indexing)
  const text = indexingText(indexing)
  if (identity.indexing !== text) {
    db.exec('BEGIN IMMEDIATE')
    state.reindex()
    writeIdentity(db, { ...identity, indexing: text })
    db.exec('COMMIT')
    tell({ kind: 'reindexed' })
  }
  return { db, identity, state, ...readTail(state, identity), [Symbol.dispose]: () => db.close() }
}

function openBroken(file: string, { commits, bytes }: TornTail, indexing: Indexing): OpenState {
  const db = openToRead(file)
  const identity = readIdentity(db) as StoredIdentity
  const state = new State(db, identity, indexing)
  const damage = `The ledger takes no writes: its write-ahead log is damaged ${bytes} bytes and ${commits} commits before its end.`
  return {
    db,
    identity,
    state,
    tail: genesis(identity.synchronizerId),
    damage,
    [Symbol.dispose]: () => db.close(),
  }
}

function ensureIdentity(db: DatabaseSync, given: Identity | undefined, indexing: Indexing): StoredIdentity {
  const known = readIdentity(db)
  if (known !== undefined) return known
  const identity = { ...(given ?? randomIdentity()), indexing: indexingText(indexing) }
  writeIdentity(db, identity)
  return identity
}

function readTail(state: State, identity: Identity): Pick<OpenState, 'tail' | 'damage'> {
  try {
    return { tail: state.log.tail(checkedUpdates), damage: undefined }
  } catch (error) {
    if (fileFault(error) === undefined) throw error
    const damage = `The ledger takes no writes, its file is damaged: ${faultText(error)}.`
    return { tail: genesis(identity.synchronizerId), damage }
  }
}

function indexingText(indexing: Indexing): string {
  return JSON.stringify([...indexing].sort(([a], [b]) => (a < b ? -1 : 1)))
}
