import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { nodeIn } from '../../daml/identifiers.ts'

// The primary key begins with `value`, so that the rows that one transaction adds for a party are next to
// each other in the file.
export const createFinders = `
CREATE TABLE finders (
  value TEXT NOT NULL,
  kind INTEGER NOT NULL,
  node INTEGER NOT NULL,
  PRIMARY KEY (value, kind, node)
) STRICT, WITHOUT ROWID;
`

/**
 * An index for finding active contracts by stakeholder, or by a lookup key of their template. `node` is
 * the row, in the table `nodes`, of the node that created the contract.
 */
export class FindersTable {
  readonly #add: StatementSync
  readonly #remove: StatementSync
  readonly #nodes: StatementSync
  readonly #clear: StatementSync
  readonly #namespace: string

  constructor(db: DatabaseSync, namespace: string) {
    this.#namespace = `::${namespace}`
    this.#add = db.prepare('INSERT INTO finders (kind, value, node) VALUES (?, ?, ?)')
    this.#remove = db.prepare('DELETE FROM finders WHERE kind = ? AND value = ? AND node = ?')
    this.#nodes = db.prepare(
      'SELECT node FROM finders WHERE kind = ? AND value = ? AND node <= ? ORDER BY node LIMIT ?',
    )
    this.#clear = db.prepare('DELETE FROM finders')
  }

  add(kind: number, value: string, node: number): void {
    this.#add.run(kind, this.#short(value), node)
  }

  remove(kind: number, value: string, node: number): void {
    this.#remove.run(kind, this.#short(value), node)
  }

  /**
   * True if `nodes` returns only contracts that have this value. False for a contract id: the caller must
   * then check each contract that `nodes` returns. The table stores only the last digits of the id, which are
   * the node number, and another id can end with the same digits.
   */
  isExact(value: string): boolean {
    return nodeIn(value) === undefined
  }

  /**
   * Returns the active contracts of one template that have this value, up to the row `lastNode`, in the order
   * of creation. Each contract is given as its `node`. If `isExact(value)` is false, the result may include
   * contracts with another value.
   * @param kind the number that `KindsTable` gave to the template and the lookup key.
   */
  nodes(kind: number, value: string, lastNode: number, limit: number): readonly number[] {
    return this.#nodes.all(kind, this.#short(value), lastNode, limit).map((row) => row['node'] as number)
  }

  clear(): void {
    this.#clear.run()
  }

  /**
   * Shortens a value, so that the rows of this table are shorter.
   * - A party id with the namespace of this ledger loses the namespace. Nearly every party has this
   *   namespace.
   * - A contract id is reduced to the number of the node that created the contract. Contracts that were created
   *   together have consecutive numbers, and so neighbouring rows.
   */
  #short(value: string): string {
    if (value.endsWith(this.#namespace)) return `@${value.slice(0, -this.#namespace.length)}`
    const node = nodeIn(value)
    return node === undefined ? `=${value}` : `#${node.toString(16).padStart(12, '0')}`
  }
}
