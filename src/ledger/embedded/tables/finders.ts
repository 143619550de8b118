import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { nodeIn } from '../../daml/identifiers.ts'

// The primary key begins with `value`, so that the rows that one transaction adds for a party are
// next to each other.
export const createFinders = `
CREATE TABLE finders (
  value TEXT NOT NULL,
  kind INTEGER NOT NULL,
  node INTEGER NOT NULL,
  PRIMARY KEY (value, kind, node)
) STRICT, WITHOUT ROWID;
`

/**
 * An index for finding active contracts by stakeholder, or by a lookup key of their template.
 * `node` is the row, in the table `nodes`, of the node that created the contract.
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
    this.#add.run(kind, this.#storedForm(value), node)
  }

  remove(kind: number, value: string, node: number): void {
    this.#remove.run(kind, this.#storedForm(value), node)
  }

  /**
   * Returns false for a contract id: the table stores only its last digits, which another id can
   * have too. The caller must then check each contract that `nodes` returns.
   */
  isExact(value: string): boolean {
    return nodeIn(value) === undefined
  }

  nodes(kind: number, value: string, lastNode: number, limit: number): readonly number[] {
    return this.#nodes.all(kind, this.#storedForm(value), lastNode, limit).map((row) => row['node'] as number)
  }

  clear(): void {
    this.#clear.run()
  }

  /**
   * Shortens the rows: a party id loses the namespace of this ledger, and a contract id becomes its
   * node number. Contracts that were created together thus have neighbouring rows.
   */
  #storedForm(value: string): string {
    if (value.endsWith(this.#namespace)) return `@${value.slice(0, -this.#namespace.length)}`
    const node = nodeIn(value)
    return node === undefined ? `=${value}` : `#${node.toString(16).padStart(12, '0')}`
  }
}
