import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { ChainMoment } from '../chain.ts'

export const createContracts = `
CREATE TABLE contracts (
  node INTEGER PRIMARY KEY,
  kind INTEGER NOT NULL,
  created_offset INTEGER NOT NULL,
  archived_offset INTEGER
) STRICT;
CREATE INDEX contracts_active ON contracts (kind) WHERE archived_offset IS NULL;
CREATE INDEX contracts_past ON contracts (kind, archived_offset) WHERE archived_offset IS NOT NULL;
`

export interface CreatedAt {
  readonly node: number
  readonly offset: number
}

/**
 * All contracts except those that one transaction both created and archived. `node` is the row, in
 * the table `nodes`, of the node that created the contract.
 */
export class ContractsTable {
  readonly #add: StatementSync
  readonly #archive: StatementSync
  readonly #isActive: StatementSync
  readonly #wasActive: StatementSync
  readonly #active: StatementSync
  readonly #activeOfAllTemplates: StatementSync
  readonly #archivedSince: StatementSync
  readonly #activeOfAllTemplatesAt: StatementSync

  constructor(db: DatabaseSync) {
    this.#add = db.prepare('INSERT INTO contracts (node, kind, created_offset) VALUES (?, ?, ?)')
    this.#archive = db.prepare('UPDATE contracts SET archived_offset = ? WHERE node = ?')
    this.#isActive = db.prepare('SELECT TRUE FROM contracts WHERE node = ? AND archived_offset IS NULL')
    this.#wasActive = db.prepare(
      `SELECT TRUE FROM contracts
       WHERE node = ?1 AND created_offset <= ?2 AND ifnull(archived_offset > ?2, TRUE)`,
    )
    this.#active = db.prepare(
      `SELECT node FROM contracts WHERE kind = ? AND archived_offset IS NULL AND node <= ?
       ORDER BY node LIMIT ?`,
    )
    this.#activeOfAllTemplates = db.prepare(
      'SELECT node FROM contracts WHERE archived_offset IS NULL AND node > ? ORDER BY node LIMIT ?',
    )
    this.#archivedSince = db.prepare(
      `SELECT node FROM contracts WHERE kind = ?1 AND archived_offset > ?2 AND created_offset <= ?2
       ORDER BY node`,
    )
    this.#activeOfAllTemplatesAt = db.prepare(
      `SELECT node, created_offset AS offset FROM contracts
       WHERE node > ? AND node <= ? AND ifnull(archived_offset > ?, TRUE) ORDER BY node LIMIT ?`,
    )
  }

  add(node: number, kind: number, offset: number): void {
    this.#add.run(node, kind, offset)
  }

  archive(node: number, offset: number): void {
    this.#archive.run(offset, node)
  }

  isActive(node: number): boolean {
    return this.#isActive.get(node) !== undefined
  }

  wasActive(node: number, { offset }: ChainMoment): boolean {
    return this.#wasActive.get(node, offset) !== undefined
  }

  active(kind: number, lastNode: number, limit: number): readonly number[] {
    return this.#active.all(kind, lastNode, limit).map((row) => row['node'] as number)
  }

  activeOfAllTemplates(node: number, limit: number): readonly number[] {
    return this.#activeOfAllTemplates.all(node, limit).map((row) => row['node'] as number)
  }

  activeOfAllTemplatesAt(
    node: number,
    { lastNode, offset }: ChainMoment,
    limit: number,
  ): readonly CreatedAt[] {
    return this.#activeOfAllTemplatesAt.all(node, lastNode, offset, limit) as unknown as CreatedAt[]
  }

  /** Returns contracts that were active at `moment`, but have been archived since. */
  archivedSince(kind: number, { offset }: ChainMoment): readonly number[] {
    return this.#archivedSince.all(kind, offset).map((row) => row['node'] as number)
  }
}
