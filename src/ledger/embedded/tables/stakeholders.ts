import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Party } from '../../value.ts'

export const createStakeholders = `
CREATE TABLE stakeholders (
  party TEXT NOT NULL,
  template TEXT NOT NULL,
  node INTEGER NOT NULL,
  PRIMARY KEY (party, template, node)
) STRICT, WITHOUT ROWID;
`

/** Who is a stakeholder of which active contract. */
export class StakeholdersTable {
  readonly #add: StatementSync
  readonly #remove: StatementSync
  readonly #nodes: StatementSync

  constructor(db: DatabaseSync) {
    this.#add = db.prepare('INSERT INTO stakeholders (party, template, node) VALUES (?, ?, ?)')
    this.#remove = db.prepare('DELETE FROM stakeholders WHERE party = ? AND template = ? AND node = ?')
    this.#nodes = db.prepare(
      'SELECT node FROM stakeholders WHERE party = ? AND template = ? AND node <= ? ORDER BY node LIMIT ?',
    )
  }

  add(party: Party, template: string, node: number): void {
    this.#add.run(party, template, node)
  }

  remove(party: Party, template: string, node: number): void {
    this.#remove.run(party, template, node)
  }

  /** Nodes of active contracts up to `lastNode`, in the order of their creation. */
  nodes(party: Party, template: string, lastNode: number, limit: number): readonly number[] {
    return this.#nodes.all(party, template, lastNode, limit).map((row) => row['node'] as number)
  }
}
