import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { faultText, fileFault } from '../../lib/sqlite-faults.ts'
import { type ChainTail, genesis } from './chain.ts'
import { damagedFile } from './damaged-file.ts'
import { CannotOpen, cannotOpen, openDatabase, openToRead, unusableLog } from './database.ts'
import { type Identity, randomIdentity } from './identity.ts'
import type { Indexing } from './interpreter.ts'
import { type StoredIdentity, tryIdentity, writeIdentity } from './migrations.ts'
import type { LedgerEvent, Start } from './protocol.ts'
import { State } from './state.ts'
import { checkTables } from './table-check.ts'
import { inspectLog, type LogState } from './wal-inspection.ts'

const checkedUpdates = 32

export interface OpenState extends Disposable {
  readonly db: DatabaseSync
  readonly identity: Identity
  readonly state: State
  readonly tail: ChainTail
  /** A sentence about the damage of the file. A damaged file must not be written to. */
  readonly damage: string | undefined
}

/**
 * Opens or creates a ledger's file. `wal-inspection.ts` examines the write-ahead log before SQLite
 * opens the file. The result depends on the damage:
 * - A crash left the last commit incomplete: SQLite removes that commit, whose submitters have not
 *   received a result.
 * - The write-ahead log lost more than its last commit, or the last updates of a file with such a
 *   log do not match their ids: the file is opened for reading only. `rebuild.ts` can make a new
 *   file from it.
 * - A table is damaged, or the last updates of a file without a write-ahead log do not match their
 *   ids: `damage` forbids writes, and the file is neither converted nor indexed anew.
 *
 * @throws CannotOpen
 */
export function openState(start: Start, indexing: Indexing, tell: (event: LedgerEvent) => void): OpenState {
  try {
    return openInspected(start, indexing, tell)
  } catch (error) {
    throw cannotOpen(error, start.file)
  }
}

function openInspected(start: Start, indexing: Indexing, tell: (event: LedgerEvent) => void): OpenState {
  const { file } = start
  const log = file === undefined ? undefined : inspectLog(file)
  if (file !== undefined && log !== undefined) {
    const damage = logDamage(file, log) ?? tailDamage(file, log, indexing)
    if (damage !== undefined) return openBroken(file, damage, indexing)
  }
  const wasThere = file !== undefined && bytesOf(file) > 0 && log?.kind === 'none'
  const db = openDatabase(start, (older) => damageIn(older, start, indexing) === undefined)
  if (log?.kind === 'torn') tell({ kind: 'tail-cut', bytes: log.bytes, commits: log.commits })
  try {
    if (wasThere && tryIdentity(db) === undefined) tell({ kind: 'begun-anew', reason: withoutUpdates })
    return openTables(db, start, indexing, tell)
  } catch (error) {
    db.close()
    throw error
  }
}

const withoutUpdates = 'the file holds no update: it may be a copy without the -wal that was beside it'

function bytesOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

function logDamage(file: string, log: LogState): string | undefined {
  const sentence = 'The ledger takes no writes: its write-ahead log is damaged'
  switch (log.kind) {
    case 'none':
    case 'whole':
    case 'torn':
      return undefined
    case 'damaged':
      return `${sentence} ${log.bytes} bytes and ${Math.max(2, log.commits)} commits before its end.`
    case 'headless':
      return `${sentence}, the header of its ${log.bytes} bytes does not hold.`
    case 'foreign':
    case 'orphaned':
      throw unusableLog(file, log)
  }
}

/**
 * Checks the last updates before SQLite merges the write-ahead log into the file, because even a
 * valid log may belong to another file. On a full disk, SQLite cannot read a file that has a log.
 * `openTables` checks the updates then.
 */
function tailDamage(file: string, log: LogState, indexing: Indexing): string | undefined {
  if (log.kind === 'none') return undefined
  try {
    using db = openToRead(file)
    const identity = tryIdentity(db)
    return identity === undefined ? undefined : readTail(new State(db, identity, indexing), identity).damage
  } catch (error) {
    const fault = fileFault(error instanceof CannotOpen ? error.cause : error)
    if (fault === undefined || fault === 'damaged') throw error
    return undefined
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
  const { tail, damage = start.file === undefined ? undefined : tableDamage(db) } = readTail(state, identity)
  const text = indexingText(indexing)
  if (identity.indexing !== text && damage === undefined) {
    db.exec('BEGIN IMMEDIATE')
    state.reindex()
    writeIdentity(db, { ...identity, indexing: text })
    db.exec('COMMIT')
    tell({ kind: 'reindexed' })
  }
  return { db, identity, state, tail, damage, [Symbol.dispose]: () => db.close() }
}

function damageIn(db: DatabaseSync, { file }: Start, indexing: Indexing): string | undefined {
  const identity = tryIdentity(db)
  if (file === undefined || identity === undefined) return undefined
  return readTail(new State(db, identity, indexing), identity).damage ?? tableDamage(db)
}

function openBroken(file: string, damage: string, indexing: Indexing): OpenState {
  const db = openToRead(file)
  const identity = tryIdentity(db)
  if (identity === undefined) {
    db.close()
    throw new CannotOpen(
      `The ledger file ${file} holds no ledger without its write-ahead log, which is damaged.`,
    )
  }
  const state = new State(db, identity, indexing)
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
  const known = tryIdentity(db)
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
    return { tail: genesis(identity.synchronizerId), damage: damagedFile(faultText(error)) }
  }
}

function tableDamage(db: DatabaseSync): string | undefined {
  const problem = checkTables(db)
  return problem === undefined ? undefined : damagedFile(problem)
}

function indexingText(indexing: Indexing): string {
  return JSON.stringify([...indexing].sort(([a], [b]) => (a < b ? -1 : 1)))
}
