import type { DatabaseSync, StatementSync } from 'node:sqlite'

export const createMembers = `
CREATE TABLE members (
  template TEXT NOT NULL,
  member TEXT NOT NULL,
  value TEXT NOT NULL,
  node INTEGER NOT NULL,
  PRIMARY KEY (template, member, value, node)
) STRICT, WITHOUT ROWID;
`

/** What the indexed members of active contracts say. */
export class MembersTable {
  readonly #add: StatementSync
  readonly #remove: StatementSync
  readonly #nodes: StatementSync
  readonly #clear: StatementSync

  constructor(db: DatabaseSync) {
    this.#add = db.prepare('INSERT INTO members (template, member, value, node) VALUES (?, ?, ?, ?)')
    this.#remove = db.prepare(
      'DELETE FROM members WHERE template = ? AND member = ? AND value = ? AND node = ?',
    )
    this.#nodes = db.prepare(
      `SELECT node FROM members WHERE template = ? AND member = ? AND value = ? AND node <= ?
       ORDER BY node LIMIT ?`,
    )
    this.#clear = db.prepare('DELETE FROM members')
  }

  add(template: string, member: string, value: string, node: number): void {
    this.#add.run(template, member, value, node)
  }

  remove(template: string, member: string, value: string, node: number): void {
    this.#remove.run(template, member, value, node)
  }

  /** Nodes of active contracts up to `lastNode`, in the order of their creation. */
  nodes(template: string, member: string, value: string, lastNode: number, limit: number): readonly number[] {
    return this.#nodes.all(template, member, value, lastNode, limit).map((row) => row['node'] as number)
  }

  clear(): void {
    this.#clear.run()
  }
}
