import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { Damage } from '../../../lib/sqlite-faults.ts'
import { type BodyRow, checked, type LogRow, type NodeRow } from './log-rows.ts'

export const createNodes = `
CREATE TABLE nodes (
  node INTEGER PRIMARY KEY,
  digest BLOB NOT NULL,
  body TEXT NOT NULL
) STRICT;
CREATE TRIGGER nodes_stay BEFORE UPDATE ON nodes BEGIN SELECT RAISE(ABORT, 'the log is only added to'); END;
`

/**
 * The nodes of all updates, in the order of the log. Pruning keeps the nodes whose contracts are
 * still active.
 */
export class NodesTable {
  readonly #add: StatementSync
  readonly #range: StatementSync
  readonly #one: StatementSync
  readonly #last: StatementSync

  constructor(db: DatabaseSync) {
    this.#add = db.prepare('INSERT INTO nodes (node, digest, body) VALUES (?, ?, ?)')
    this.#range = db.prepare('SELECT node, body FROM nodes WHERE node >= ? AND node < ? ORDER BY node')
    this.#range.setReturnArrays(true)
    this.#one = db.prepare('SELECT digest, body FROM nodes WHERE node = ?')
    this.#last = db.prepare('SELECT max(node) AS node FROM nodes')
  }

  add(firstNode: number, bodies: readonly string[], digests: readonly string[]): void {
    for (const [index, body] of bodies.entries()) {
      this.#add.run(firstNode + index, Buffer.from(digests[index] as string, 'hex'), body)
    }
  }

  last(): number {
    return (this.#last.get() as { node: number | null }).node ?? 0
  }

  body(node: number): string {
    const row = this.#one.get(node) as NodeRow | undefined
    if (row === undefined) throw new Damage(`node ${node} is missing`)
    return checked(row, node)
  }

  /**
   * Reads the nodes of consecutive rows of the log with one query. If a damaged page makes that
   * query fail, each row is queried alone, so that updates before the damage can be read.
   */
  bodiesOf(rows: readonly LogRow[]): (row: LogRow) => readonly string[] {
    const [first] = rows
    const last = rows.at(-1)
    if (first === undefined || last === undefined) return () => []
    const start = first[4]
    const all = this.#tryNodes(start, last[4] + last[5])
    const isWhole = all?.every(([node], index) => node === start + index)
    return ([, , , , from, count]) => {
      const nodes =
        all !== undefined && isWhole
          ? all.slice(from - start, from - start + count)
          : (this.#range.all(from, from + count) as unknown as readonly BodyRow[])
      return nodes.map(([, body]) => body)
    }
  }

  #tryNodes(from: number, to: number): readonly BodyRow[] | undefined {
    try {
      return this.#range.all(from, to) as unknown as readonly BodyRow[]
    } catch {
      return undefined
    }
  }
}
