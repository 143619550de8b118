import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { Damage } from '../../../lib/sqlite-faults.ts'
import type { EventPosition } from '../../update.ts'
import type { Micros } from '../../value.ts'
import { type ChainMoment, type ChainTail, genesis, type OffsetAndTime } from '../chain.ts'
import type { StoredUpdate } from '../encoding.ts'
import {
  checkedUpdate,
  checksumOf,
  type LoggedUpdate,
  type LogRow,
  type TextRow,
  tryUpdate,
} from './log-rows.ts'
import type { NodesTable } from './nodes.ts'
import type { PruningTable } from './pruning.ts'

export const createLog = `
CREATE TABLE log (
  offset INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('transaction', 'party')),
  update_id TEXT NOT NULL,
  record_time INTEGER NOT NULL,
  command_key BLOB,
  first_node INTEGER NOT NULL,
  node_count INTEGER NOT NULL,
  head TEXT NOT NULL,
  checksum INTEGER
) STRICT;
CREATE UNIQUE INDEX log_by_time ON log (record_time);
CREATE UNIQUE INDEX log_by_command ON log (command_key) WHERE command_key IS NOT NULL;
`

/** A check of the checksum is faster than a check of the digests of all nodes. */

const columns = 'offset, kind, update_id, record_time, first_node, node_count, head'

const text = `concat(offset, ' ', kind, ' ', record_time, ' ', update_id, head, CASE node_count
  WHEN 1 THEN (SELECT body FROM nodes WHERE node = first_node)
  ELSE (SELECT group_concat(body, '') FROM
    (SELECT body FROM nodes WHERE node >= first_node AND node < first_node + node_count ORDER BY node)) END)`

const textsAtOnce = 100

/**
 * All updates that are not pruned.
 */
export class LogTable {
  readonly #db: DatabaseSync
  readonly #genesis: ChainTail
  readonly #pruning: PruningTable
  readonly #nodes: NodesTable
  readonly #range: StatementSync
  readonly #idAt: StatementSync
  readonly #end: StatementSync
  readonly #byCommand: StatementSync
  readonly #moment: StatementSync
  readonly #around: StatementSync
  readonly #momentAfter: StatementSync
  readonly #last: StatementSync
  readonly #start: StatementSync
  readonly #from: StatementSync
  // These statements are prepared when they are first used, because a file of an older version
  // lacks the column `checksum`.
  #add: StatementSync | undefined
  #texts: StatementSync | undefined

  constructor(db: DatabaseSync, synchronizerId: string, pruning: PruningTable, nodes: NodesTable) {
    this.#db = db
    this.#pruning = pruning
    this.#nodes = nodes
    this.#genesis = genesis(synchronizerId)
    this.#range = rangeOf(db, columns)
    this.#idAt = db.prepare('SELECT update_id FROM log WHERE offset = ?')
    this.#end = db.prepare('SELECT max(offset) AS offset FROM log')
    this.#byCommand = db.prepare('SELECT offset FROM log WHERE command_key = ?')
    this.#moment = db.prepare(
      `SELECT offset, first_node + node_count - 1 AS lastNode FROM log
       WHERE record_time <= ? ORDER BY record_time DESC LIMIT 1`,
    )
    // `NOT INDEXED`: this statement checks the index `log_by_time`, so it must read the table
    // itself.
    this.#around = db.prepare(
      `SELECT offset, record_time AS recordTime FROM log NOT INDEXED
       WHERE offset >= ? ORDER BY offset LIMIT 2`,
    )
    this.#momentAfter = db.prepare(
      `SELECT offset, first_node + node_count - 1 AS lastNode FROM log
       WHERE offset <= ? ORDER BY offset DESC LIMIT 1`,
    )
    this.#last = db.prepare('SELECT offset, record_time AS recordTime FROM log ORDER BY offset DESC LIMIT 1')
    this.#start = db.prepare('SELECT first_node AS firstNode, head FROM log WHERE offset = ?')
    this.#from = db.prepare(
      'SELECT offset, first_node AS firstNode FROM log WHERE offset >= ? ORDER BY offset LIMIT 1',
    )
  }

  add(update: StoredUpdate, firstNode: number, nodeDigests: readonly string[], commandKey?: string): void {
    const { offset, kind, updateId, recordTime, head, nodes } = update
    const key = commandKey === undefined ? null : shortKey(commandKey)
    this.#add ??= this.#db.prepare(
      `INSERT INTO log (${columns}, checksum, command_key) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    const checksum = checksumOf(update)
    this.#add.run(offset, kind, updateId, recordTime, firstNode, nodes.length, head, checksum, key)
    this.#nodes.add(firstNode, nodes, nodeDigests)
  }

  end(): number {
    return (this.#end.get() as { offset: number | null }).offset ?? 0
  }

  last(): OffsetAndTime | undefined {
    return this.#last.get() as OffsetAndTime | undefined
  }

  start(offset: number): { readonly firstNode: number; readonly head: string } {
    const start = this.#start.get(offset) as { firstNode: number; head: string } | undefined
    if (start === undefined) throw new Damage(`update ${offset} is missing`)
    return start
  }

  offsetOfCommand(commandKey: string): number | undefined {
    const row = this.#byCommand.get(shortKey(commandKey))
    return (row as { offset: number } | undefined)?.offset
  }

  /**
   * Returns the position after the last update with this record time or an earlier one.
   * @throws Damage if the index of record times does not match the log. With a wrong position, the
   * ledger could prune updates that it has to retain.
   */
  momentAt(recordTime: Micros): ChainMoment {
    const found = this.#notPruned(this.#moment.get(recordTime) as ChainMoment | undefined)
    const around = this.#around.all(found.offset) as unknown as readonly OffsetAndTime[]
    const isPruned = found.offset <= this.#pruning.upTo.offset
    for (const { offset, recordTime: time } of around)
      if (offset > found.offset ? time <= recordTime : time > recordTime && !isPruned)
        throw new Damage('the index of record times does not match the log')
    return found
  }

  momentAfter(offset: number): ChainMoment {
    return this.#notPruned(this.#momentAfter.get(offset) as ChainMoment | undefined)
  }

  /** Returns the highest row, in the table `nodes`, that is not after an event position. */
  lastNodeUpTo({ offset, nodeId }: EventPosition): number {
    const found = this.#from.get(offset) as { offset: number; firstNode: number } | undefined
    if (found === undefined) return Number.MAX_SAFE_INTEGER
    return found.offset === offset ? found.firstNode + nodeId : found.firstNode - 1
  }

  /**
   * Checks the checksum of each update. If a checksum is missing or wrong, checks the digests of that
   * update and of the rest of its batch instead.
   * @throws Damage if an update is missing, or fails the check of its digests.
   */
  *texts(begin: number, upTo: number, limit: number): Generator<StoredUpdate> {
    let after = Math.max(begin, this.#pruning.upTo.offset)
    const end = Math.min(upTo, after + limit)
    while (after < end) {
      const to = Math.min(end, after + textsAtOnce)
      for (const row of this.#tryTexts(after, to)) {
        const update = tryUpdate(row)
        if (update?.offset !== after + 1) break
        after++
        yield update
      }
      if (after === to) continue
      for (const { update } of this.updates(after, to, to - after)) {
        after++
        yield update
      }
      if (after < to) return
    }
  }

  #tryTexts(after: number, upTo: number): readonly TextRow[] {
    try {
      this.#texts ??= rangeOf(this.#db, `node_count, checksum, ${text}`)
      return this.#texts.all(after, upTo, textsAtOnce) as unknown as readonly TextRow[]
    } catch {
      return []
    }
  }

  /**
   * @throws Damage if an update is missing, or does not match its id and the id of the previous
   * update.
   */
  *updates(begin: number, upTo: number, limit: number): Generator<LoggedUpdate> {
    const after = Math.max(begin, this.#pruning.upTo.offset)
    let previous: string | undefined
    let expected = after
    const rows = this.#range.all(after, upTo, limit) as unknown as readonly LogRow[]
    const bodies = this.#nodes.bodiesOf(rows)
    for (const row of rows) {
      previous ??= this.#updateIdAt(after)
      const [offset, , , , firstNode] = row
      if (offset !== ++expected) throw new Damage(`update ${expected} is missing`)
      const { update, digests } = checkedUpdate(row, bodies(row), previous)
      previous = update.updateId
      yield { update, digests, firstNode }
    }
    if (expected < Math.min(upTo, after + limit) && expected < this.end())
      throw new Damage(`update ${expected + 1} is missing`)
  }

  /**
   * @throws Damage if the last `checkedUpdates` updates do not match their ids, or if `log` and
   * `nodes` do not end at the same update.
   */
  tail(checkedUpdates: number): ChainTail {
    const end = this.end()
    let tail = this.lastPruned()
    for (const { update, firstNode } of this.updates(
      Math.max(0, end - checkedUpdates),
      end,
      checkedUpdates,
    )) {
      const { offset, updateId, recordTime, nodes } = update
      tail = { offset, updateId, recordTime, nextNode: firstNode + nodes.length }
    }
    const lastNode = Math.max(this.#nodes.last(), this.#pruning.upTo.lastNode)
    if (tail.offset !== end || tail.nextNode !== lastNode + 1) throw new Damage('the log has no end')
    return tail
  }

  /**
   * Returns the last pruned update, or the beginning of the log if nothing was pruned. Pruning keeps
   * the row of the last pruned update.
   * @throws Damage if that row is missing.
   */
  lastPruned(): ChainTail {
    const { offset, lastNode } = this.#pruning.upTo
    if (offset === 0) return this.#genesis
    const [row] = this.#range.all(offset - 1, offset, 1) as unknown as LogRow[]
    if (row === undefined) throw new Damage(`update ${offset} is missing`)
    const [, , updateId, recordTime] = row
    return { offset, updateId, recordTime, nextNode: lastNode + 1 }
  }

  #notPruned(moment: ChainMoment | undefined): ChainMoment {
    const { upTo } = this.#pruning
    return moment !== undefined && moment.offset >= upTo.offset ? moment : upTo
  }

  #updateIdAt(offset: number): string {
    if (offset <= 0) return this.#genesis.updateId
    const row = this.#idAt.get(offset) as { update_id: string } | undefined
    if (row === undefined) throw new Damage(`update ${offset} is missing`)
    return row.update_id
  }
}

function rangeOf(db: DatabaseSync, columns: string): StatementSync {
  const range = db.prepare(
    `SELECT ${columns} FROM log WHERE offset > ? AND offset <= ? ORDER BY offset LIMIT ?`,
  )
  range.setReturnArrays(true)
  return range
}

/** 128 bits are enough for a unique key, and they make the index half as large. */
function shortKey(commandKey: string): Buffer {
  return Buffer.from(commandKey.slice(0, 32), 'hex')
}
