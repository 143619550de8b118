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

// The key begins with the value, so that the rows that one transaction adds for a party lie on one page.

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
   * Whether `nodes` finds only contracts with exactly this value. False for a value in the form of a contract id: the
   * table stores only its node number, which another text can share. The caller must then check the found contracts.
   */
  isExact(value: string): boolean {
    return nodeIn(value) === undefined
  }

  /**
   * Returns the active contracts with a value, up to the row `lastNode` and in the order of creation. A contract is
   * represented by the row of the node that created it.
   * @param kind the number of a template and a member in `KindsTable`.
   */
  nodes(kind: number, value: string, lastNode: number, limit: number): readonly number[] {
    return this.#nodes.all(kind, this.#short(value), lastNode, limit).map((row) => row['node'] as number)
  }

  clear(): void {
    this.#clear.run()
  }

  /**
   * Shortens a value. A party id loses its namespace if that is the ledger's, as in nearly all. Of a contract id, only
   * the node number stays. Rows are then short, and contracts of the same time lie together.
   */
  #short(value: string): string {
    if (value.endsWith(this.#namespace)) return `@${value.slice(0, -this.#namespace.length)}`
    const node = nodeIn(value)
    return node === undefined ? `=${value}` : `#${node.toString(16).padStart(12, '0')}`
  }
}
