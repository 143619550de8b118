import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Micros } from '../../value.ts'
import { chainedId, genesis, type Reached, type Tail, textDigest } from '../chain.ts'
import type { StoredUpdate } from '../encoding.ts'
import { Damage } from '../faults.ts'
import type { Moment } from '../moment.ts'

export const createLog = `
CREATE TABLE log (
  offset INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('transaction', 'party')),
  update_id TEXT NOT NULL,
  record_time INTEGER NOT NULL,
  command_key BLOB,
  first_node INTEGER NOT NULL,
  node_count INTEGER NOT NULL,
  head TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX log_by_time ON log (record_time);
CREATE UNIQUE INDEX log_by_command ON log (command_key) WHERE command_key IS NOT NULL;
CREATE TABLE nodes (
  node INTEGER PRIMARY KEY,
  digest BLOB NOT NULL,
  body TEXT NOT NULL
) STRICT;
CREATE TRIGGER log_stays BEFORE UPDATE ON log BEGIN SELECT RAISE(ABORT, 'the log is only added to'); END;
CREATE TRIGGER log_keeps BEFORE DELETE ON log BEGIN SELECT RAISE(ABORT, 'the log is only added to'); END;
CREATE TRIGGER nodes_stay BEFORE UPDATE ON nodes BEGIN SELECT RAISE(ABORT, 'the log is only added to'); END;
CREATE TRIGGER nodes_keep BEFORE DELETE ON nodes BEGIN SELECT RAISE(ABORT, 'the log is only added to'); END;
`

interface LogRow {
  readonly offset: number
  readonly kind: StoredUpdate['kind']
  readonly update_id: string
  readonly record_time: Micros
  readonly first_node: number
  readonly node_count: number
  readonly head: string
}

interface NodeRow {
  readonly digest: Uint8Array
  readonly body: string
}

/** An update that is what its id says. */
export interface LoggedUpdate {
  readonly update: StoredUpdate
  readonly digests: readonly string[]
  readonly firstNode: number
}

const columns = 'offset, kind, update_id, record_time, first_node, node_count, head'

/** Every update, and the nodes of each: what the rest of the file follows from. */
export class LogTable {
  readonly #genesis: Tail
  readonly #add: StatementSync
  readonly #addNode: StatementSync
  readonly #range: StatementSync
  readonly #nodes: StatementSync
  readonly #node: StatementSync
  readonly #idAt: StatementSync
  readonly #end: StatementSync
  readonly #byCommand: StatementSync
  readonly #lastNode: StatementSync
  readonly #moment: StatementSync
  readonly #momentAfter: StatementSync
  readonly #last: StatementSync
  readonly #start: StatementSync

  constructor(db: DatabaseSync, synchronizerId: string) {
    this.#genesis = genesis(synchronizerId)
    this.#add = db.prepare(`INSERT INTO log (${columns}, command_key) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`)
    this.#addNode = db.prepare('INSERT INTO nodes (node, digest, body) VALUES (?, ?, ?)')
    this.#range = db.prepare(
      `SELECT ${columns} FROM log WHERE offset > ? AND offset <= ? ORDER BY offset LIMIT ?`,
    )
    this.#nodes = db.prepare('SELECT digest, body FROM nodes WHERE node >= ? AND node < ? ORDER BY node')
    this.#node = db.prepare('SELECT digest, body FROM nodes WHERE node = ?')
    this.#idAt = db.prepare('SELECT update_id FROM log WHERE offset = ?')
    this.#end = db.prepare('SELECT max(offset) AS offset FROM log')
    this.#byCommand = db.prepare('SELECT offset FROM log WHERE command_key = ?')
    this.#moment = db.prepare(
      `SELECT offset, first_node + node_count - 1 AS lastNode FROM log
       WHERE record_time <= ? ORDER BY record_time DESC LIMIT 1`,
    )
    this.#momentAfter = db.prepare(
      `SELECT offset, first_node + node_count - 1 AS lastNode FROM log
       WHERE offset <= ? ORDER BY offset DESC LIMIT 1`,
    )
    this.#last = db.prepare('SELECT offset, record_time AS recordTime FROM log ORDER BY offset DESC LIMIT 1')
    this.#start = db.prepare('SELECT first_node AS firstNode, head FROM log WHERE offset = ?')
    this.#lastNode = db.prepare('SELECT max(node) AS node FROM nodes')
  }

  add(update: StoredUpdate, firstNode: number, nodeDigests: readonly string[], commandKey?: string): void {
    const { offset, kind, updateId, recordTime, head, nodes } = update
    const key = commandKey === undefined ? null : shortKey(commandKey)
    this.#add.run(offset, kind, updateId, recordTime, firstNode, nodes.length, head, key)
    for (const [index, body] of nodes.entries()) {
      this.#addNode.run(firstNode + index, Buffer.from(nodeDigests[index] as string, 'hex'), body)
    }
  }

  /** 0 for an empty log. */
  end(): number {
    return (this.#end.get() as { offset: number | null }).offset ?? 0
  }

  /** Undefined for an empty log. */
  last(): Reached | undefined {
    return this.#last.get() as Reached | undefined
  }

  /** The row of an update's first node, and its head. @throws Damage */
  start(offset: number): { readonly firstNode: number; readonly head: string } {
    const start = this.#start.get(offset) as { firstNode: number; head: string } | undefined
    if (start === undefined) throw new Damage(`update ${offset} is missing`)
    return start
  }

  offsetOfCommand(commandKey: string): number | undefined {
    const row = this.#byCommand.get(shortKey(commandKey))
    return (row as { offset: number } | undefined)?.offset
  }

  /** The state at a record time. */
  momentAt(recordTime: Micros): Moment {
    const moment = this.#moment.get(recordTime) as { offset: number; lastNode: number } | undefined
    return moment ?? { offset: 0, lastNode: 0 }
  }

  /** The state after an update. */
  momentAfter(offset: number): Moment {
    const moment = this.#momentAfter.get(offset) as { offset: number; lastNode: number } | undefined
    return moment ?? { offset: 0, lastNode: 0 }
  }

  /** The text of one node, as it was written. @throws Damage */
  node(node: number): string {
    const row = this.#node.get(node) as NodeRow | undefined
    if (row === undefined) throw new Damage(`node ${node} is missing`)
    return checked(row, node)
  }

  /** @throws Damage where an update is missing, or is not what its id and the one before it say. */
  *updates(after: number, upTo: number, limit: number): Generator<LoggedUpdate> {
    let previous: string | undefined
    let expected = after
    const rows = this.#range.all(after, upTo, limit)
    for (const row of rows as unknown as LogRow[]) {
      previous ??= this.#updateIdAt(after)
      if (row.offset !== ++expected) throw new Damage(`update ${expected} is missing`)
      const { update, digests } = this.#read(row, previous)
      previous = update.updateId
      yield { update, digests, firstNode: row.first_node }
    }
  }

  /**
   * Where the log ends, after checking its last updates.
   *
   * @throws Damage
   */
  tail(checkedUpdates: number): Tail {
    const end = this.end()
    let tail = this.#genesis
    for (const { update, firstNode } of this.updates(
      Math.max(0, end - checkedUpdates),
      end,
      checkedUpdates,
    )) {
      const { offset, updateId, recordTime, nodes } = update
      tail = { offset, updateId, recordTime, nextNode: firstNode + nodes.length }
    }
    const lastNode = (this.#lastNode.get() as { node: number | null }).node ?? 0
    if (tail.offset !== end || tail.nextNode !== lastNode + 1) throw new Damage('the log has no end')
    return tail
  }

  #updateIdAt(offset: number): string {
    if (offset <= 0) return this.#genesis.updateId
    const row = this.#idAt.get(offset) as { update_id: string } | undefined
    if (row === undefined) throw new Damage(`update ${offset} is missing`)
    return row.update_id
  }

  #read(row: LogRow, previousId: string): Pick<LoggedUpdate, 'update' | 'digests'> {
    const { offset, kind, update_id: updateId, record_time: recordTime, head, first_node: first } = row
    const rows = this.#nodes.all(first, first + row.node_count) as unknown as readonly NodeRow[]
    const nodes = rows.map(({ body }) => body)
    const digests = nodes.map(textDigest)
    const unstored = { offset, kind, recordTime, head, nodes }
    if (chainedId(previousId, unstored, digests) !== updateId || nodes.length !== row.node_count)
      throw new Damage(`update ${offset} is not what was written`)
    return { update: { ...unstored, updateId }, digests }
  }
}

function checked({ digest, body }: NodeRow, node: number): string {
  if (Buffer.from(textDigest(body), 'hex').equals(digest)) return body
  throw new Damage(`node ${node} is not what was written`)
}

/** Half of a hash is as unlike any other, and its index half as large. */
function shortKey(commandKey: string): Buffer {
  return Buffer.from(commandKey.slice(0, 32), 'hex')
}
