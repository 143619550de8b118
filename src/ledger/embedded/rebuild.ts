import { tmpdir } from 'node:os'
import { dirname } from 'node:path'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { Damage, faultText, fileFault } from '../../lib/sqlite-faults.ts'
import { commandKey, genesis } from './chain.ts'
import { CannotOpen, cannotOpen, openDatabase } from './database.ts'
import { createdIn, decodeUpdate } from './encoding.ts'
import type { Identity } from './identity.ts'
import type { Indexing } from './interpreter.ts'
import { getIdentity, migrate, tryIdentity, writeIdentity } from './migrations.ts'
import { openSource } from './source.ts'
import { State } from './state.ts'

export interface Replayed {
  readonly updates: number
  readonly damage: string | undefined
  readonly lostSettings?: string
}

export interface LedgerVerification extends Replayed {
  readonly problems: readonly string[]
}

const replayedAtOnce = 500

/**
 * Makes a new ledger file from the log of another file, up to the first damage in that log. The old
 * file stays unchanged, but no process may use it meanwhile.
 * @throws CannotOpen, also if the new file is in use or already contains a ledger.
 */
export function rebuildLedger(from: string, to: string, indexing: Indexing): Replayed {
  return reading(from, () => {
    using source = openSource(from, dirname(to))
    getIdentity(source.db)
    using target = openDatabase({ file: to })
    if (tryIdentity(target) !== undefined) throw new CannotOpen(`The file ${to} holds a ledger already.`)
    return replay(source.db, target, indexing)
  })
}

/**
 * Verifies a ledger's file, and compares its tables with those that a replay of its log gives. The
 * file stays unchanged, but no process may use it meanwhile.
 * @throws CannotOpen
 */
export function verifyLedger(file: string, indexing: Indexing): LedgerVerification {
  return reading(file, () => {
    using source = openSource(file, tmpdir())
    using target = new DatabaseSync('')
    migrate(target)
    const { db, problem } = source
    const pages = problemsOf(() => brokenPages(db))
    const replayed = replay(db, target, indexing)
    const damage = [problem, replayed.damage, replayed.lostSettings].filter((text) => text !== undefined)
    const differences = replayed.damage === undefined ? problemsOf(() => differentTables(db, target)) : []
    return { ...replayed, problems: [...pages, ...damage, ...differences] }
  })
}

function reading<T>(file: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw cannotOpen(error, file)
  }
}

function replay(source: DatabaseSync, target: DatabaseSync, indexing: Indexing): Replayed {
  const identity = getIdentity(source)
  const state = new State(target, identity, indexing)
  const replaying: Replaying = {
    source,
    target,
    identity,
    origin: new State(source, identity, indexing),
    state,
  }
  target.exec('BEGIN IMMEDIATE')
  writeIdentity(target, identity)
  const replayed = replayLog(replaying)
  const lostSettings = copySettings(source, state)
  target.exec('COMMIT')
  return lostSettings === undefined ? replayed : { ...replayed, lostSettings }
}

interface Replaying {
  readonly source: DatabaseSync
  readonly target: DatabaseSync
  readonly identity: Identity
  readonly origin: State
  readonly state: State
}

function replayLog(replaying: Replaying): Replayed {
  const { identity, origin, state } = replaying
  const { log } = origin
  let { offset, nextNode } = genesis(identity.synchronizerId)
  let updates = 0
  try {
    if (origin.pruning.upTo.offset > 0) {
      const base = log.lastPruned()
      atomically(replaying, () => restorePruned(replaying))
      ;({ offset, nextNode } = base)
    }
    for (let end = log.end(); offset < end; ) {
      const before = offset
      for (const { update: stored, digests } of log.updates(offset, end, replayedAtOnce)) {
        const update = decodeUpdate(stored, identity)
        const key = update.kind === 'transaction' ? commandKey(update) : undefined
        atomically(replaying, () => {
          state.log.add(stored, nextNode, digests, key)
          state.fold(update, nextNode)
        })
        offset = stored.offset
        nextNode += stored.nodes.length
        updates++
      }
      if (offset === before) throw new Damage(`update ${offset + 1} is missing`)
    }
    return { updates, damage: undefined }
  } catch (error) {
    return { updates, damage: `After update ${offset}: ${damageOf(error)}.` }
  }
}

function atomically({ target, state }: Replaying, change: () => void): void {
  target.exec('SAVEPOINT atomically')
  try {
    change()
    target.exec('RELEASE atomically')
  } catch (error) {
    // SQLite may have rolled back the whole transaction already, for example because the disk is
    // full. The savepoint then does not exist.
    if (target.isTransaction) target.exec('ROLLBACK TO atomically; RELEASE atomically')
    state.forget()
    throw error
  }
}

/**
 * Describes the damage that caused an error.
 * @throws the given error if its cause is another fault of the file, for example a full disk.
 */
function damageOf(error: unknown): string {
  const fault = fileFault(error)
  if (fault === undefined) return 'it holds something else than was written'
  if (fault !== 'damaged') throw error
  return faultText(error)
}

function copySettings(source: DatabaseSync, state: State): string | undefined {
  try {
    for (const { party, key, value } of settings(source)) state.settings.set(party, key, value)
    return undefined
  } catch (error) {
    return `Settings of users are lost: ${damageOf(error)}.`
  }
}

/** Copies the rows that pruning left, because a replay of the log cannot produce them. */
function restorePruned({ source, target, origin, state }: Replaying): void {
  const { offset, lastNode } = origin.pruning.upTo
  copyRows(source, target, { table: 'log', by: 'offset', upTo: offset })
  copyRows(source, target, { table: 'nodes', by: 'node', upTo: lastNode })
  copyRows(source, target, { table: 'parties', by: 'offset', upTo: offset })
  state.pruning.copy({ offset, lastNode })
  const held = source.prepare(
    'SELECT node, created_offset AS offset FROM contracts WHERE node <= ? ORDER BY node',
  )
  for (const row of held.iterate(lastNode)) {
    const { node, offset: created } = row as unknown as { node: number; offset: number }
    origin.log.start(created)
    state.restore(createdIn(origin.nodes.body(node)), node, created)
  }
}

function copyRows(
  source: DatabaseSync,
  target: DatabaseSync,
  { table, by, upTo }: { readonly table: string; readonly by: string; readonly upTo: number },
): void {
  const rows = source.prepare(`SELECT * FROM ${table} WHERE ${by} <= ?`)
  let add: StatementSync | undefined
  for (const row of rows.iterate(upTo)) {
    const columns = Object.keys(row)
    add ??= target.prepare(
      `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    )
    add.run(...(Object.values(row) as SQLInputValue[]))
  }
}

function settings(db: DatabaseSync): Iterable<{ party: string; key: string; value: string }> {
  return db.prepare('SELECT party, key, value FROM settings').iterate() as never
}

function brokenPages(db: DatabaseSync): readonly string[] {
  const rows = db.prepare('PRAGMA integrity_check(10)').all()
  return rows.map((row) => Object.values(row)[0] as string).filter((text) => text !== 'ok')
}

const ofKind = 'template, member FROM kinds JOIN'

/**
 * Queries for the rows to compare between two files. A replay may assign other numbers to kinds, so
 * the queries select `template` and `member` instead of `kind`.
 */
const comparedQueries: Readonly<Record<string, string>> = {
  log: 'SELECT offset, kind, update_id, record_time, command_key, first_node, node_count, head FROM log ORDER BY offset',
  contracts: `SELECT node, created_offset, archived_offset, ${ofKind} contracts USING (kind) ORDER BY node`,
  finders: `SELECT value, node, ${ofKind} finders USING (kind) ORDER BY node, member, value`,
  due: `SELECT due_at, contract_id, node, ${ofKind} due USING (kind) ORDER BY node`,
  entries: 'SELECT * FROM entries ORDER BY node',
  parties: 'SELECT * FROM parties ORDER BY party',
}

function differentTables(one: DatabaseSync, other: DatabaseSync): readonly string[] {
  return Object.entries(comparedQueries)
    .filter(([, query]) => !areEqual(one, other, query))
    .map(([table]) => `The table ${table} is not what the log says.`)
}

function areEqual(one: DatabaseSync, other: DatabaseSync, query: string): boolean {
  const others = other.prepare(query).iterate()[Symbol.iterator]()
  for (const row of one.prepare(query).iterate()) {
    const next = others.next()
    if (next.done === true || JSON.stringify(row) !== JSON.stringify(next.value)) return false
  }
  return others.next().done === true
}

function problemsOf(check: () => readonly string[]): readonly string[] {
  try {
    return check()
  } catch (error) {
    if (fileFault(error) !== 'damaged') throw error
    return [`${faultText(error)}.`]
  }
}
