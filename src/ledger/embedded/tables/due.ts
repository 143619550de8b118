import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { DueFilter } from '../../ledger.ts'
import type { ContractId, Micros } from '../../value.ts'

export const createDue = `
CREATE TABLE due (
  kind INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  contract_id BLOB NOT NULL,
  node INTEGER NOT NULL,
  PRIMARY KEY (kind, due_at, contract_id)
) STRICT, WITHOUT ROWID;
`

const nothing = Buffer.alloc(0)

function contractKey(contractId: ContractId): Buffer | undefined {
  return /^(?:[0-9a-f]{2})+$/.test(contractId) ? Buffer.from(contractId, 'hex') : undefined
}

/**
 * The active contracts on which automation must act, sorted by the time to act
 * (`Template.dueField`).
 */
export class DueTable {
  readonly #add: StatementSync
  readonly #remove: StatementSync
  readonly #nodes: StatementSync
  readonly #clear: StatementSync

  constructor(db: DatabaseSync) {
    this.#add = db.prepare('INSERT INTO due (kind, due_at, contract_id, node) VALUES (?, ?, ?, ?)')
    this.#remove = db.prepare('DELETE FROM due WHERE kind = ? AND due_at = ? AND contract_id = ?')
    this.#nodes = db.prepare(
      `SELECT node FROM due WHERE kind = ? AND due_at < ? AND (due_at, contract_id) > (?, ?)
       ORDER BY due_at, contract_id LIMIT ?`,
    )
    this.#clear = db.prepare('DELETE FROM due')
  }

  add(kind: number, dueAt: Micros, contractId: ContractId, node: number): void {
    this.#add.run(kind, dueAt, contractKey(contractId) ?? null, node)
  }

  remove(kind: number, dueAt: Micros, contractId: ContractId): void {
    this.#remove.run(kind, dueAt, contractKey(contractId) ?? null)
  }

  nodes(kind: number, { before, after }: DueFilter, limit: number): readonly number[] {
    const from = after?.dueAt ?? Number.MIN_SAFE_INTEGER
    const fromId = after === undefined ? nothing : (contractKey(after.contractId) ?? nothing)
    return this.#nodes.all(kind, before, from, fromId, limit).map((row) => row['node'] as number)
  }

  clear(): void {
    this.#clear.run()
  }
}
