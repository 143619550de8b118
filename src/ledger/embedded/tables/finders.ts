import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { nodeIn } from '../../daml/identifiers.ts'

export const createFinders = `
CREATE TABLE finders (
  value TEXT NOT NULL,
  kind INTEGER NOT NULL,
  node INTEGER NOT NULL,
  PRIMARY KEY (value, kind, node)
) STRICT, WITHOUT ROWID;
`

// The key begins with the value, so that the rows that one transaction adds for a party are close together in the file.

/** An index of the active contracts: by stakeholder, and by the indexed members of their arguments. */
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
   * Whether `nodes` returns only contracts that have exactly this value. False for a value in the form of a contract
   * id: the table stores only its last digits, the node number, which another id can share. Each contract that `nodes`
   * returns must then be checked.
   */
  isExact(value: string): boolean {
    return nodeIn(value) === undefined
  }

  /**
   * Returns the active contracts of a template in which a member has this value, up to the row `lastNode`, in the order
   * of creation. The row of the node that created a contract stands for the contract. Contracts with another value may
   * be among them if `isExact(value)` is false.
   * @param kind the number of the template and the member in `KindsTable`.
   */
  nodes(kind: number, value: string, lastNode: number, limit: number): readonly number[] {
    return this.#nodes.all(kind, this.#short(value), lastNode, limit).map((row) => row['node'] as number)
  }

  clear(): void {
    this.#clear.run()
  }

  /**
   * Shortens a value for the table. A party id loses its namespace if that is this ledger's own, as for nearly every
   * party. A contract id is reduced to its node number. The rows are then shorter, and the rows of contracts that were
   * created together are close together.
   */
  #short(value: string): string {
    if (value.endsWith(this.#namespace)) return `@${value.slice(0, -this.#namespace.length)}`
    const node = nodeIn(value)
    return node === undefined ? `=${value}` : `#${node.toString(16).padStart(12, '0')}`
  }
}
