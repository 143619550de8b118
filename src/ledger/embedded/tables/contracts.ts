import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { ContractId } from '../../value.ts'
import type { Moment } from '../moment.ts'

export const createContracts = `
CREATE TABLE contracts (
  node INTEGER PRIMARY KEY,
  contract_id BLOB NOT NULL UNIQUE,
  kind INTEGER NOT NULL,
  created_offset INTEGER NOT NULL,
  archived_offset INTEGER
) STRICT;
CREATE INDEX contracts_active ON contracts (kind) WHERE archived_offset IS NULL;
CREATE INDEX contracts_past ON contracts (kind, archived_offset) WHERE archived_offset IS NOT NULL;
`

/** The node that created a contract, and the update that it is of. */
export interface CreatedAt {
  readonly node: number
  readonly offset: number
}

/** The key of a contract id, which is hex; undefined for a text that is no contract id. */
export function contractKey(contractId: ContractId): Buffer | undefined {
  return /^(?:[0-9a-f]{2})+$/.test(contractId) ? Buffer.from(contractId, 'hex') : undefined
}

/** Every contract that outlived its transaction, by the node that created it. Archived ones stay. */
export class ContractsTable {
  readonly #add: StatementSync
  readonly #archive: StatementSync
  readonly #find: StatementSync
  readonly #findThen: StatementSync
  readonly #active: StatementSync
  readonly #everyActive: StatementSync
  readonly #past: StatementSync
  readonly #then: StatementSync

  constructor(db: DatabaseSync) {
    this.#add = db.prepare(
      'INSERT INTO contracts (node, contract_id, kind, created_offset) VALUES (?, ?, ?, ?)',
    )
    this.#archive = db.prepare('UPDATE contracts SET archived_offset = ? WHERE node = ?')
    this.#find = db.prepare('SELECT node FROM contracts WHERE contract_id = ? AND archived_offset IS NULL')
    this.#findThen = db.prepare(
      `SELECT node FROM contracts
       WHERE contract_id = ?1 AND created_offset <= ?2 AND ifnull(archived_offset > ?2, TRUE)`,
    )
    this.#active = db.prepare(
      `SELECT node FROM contracts WHERE kind = ? AND archived_offset IS NULL AND node <= ?
       ORDER BY node LIMIT ?`,
    )
    this.#everyActive = db.prepare(
      'SELECT node FROM contracts WHERE archived_offset IS NULL AND node > ? ORDER BY node LIMIT ?',
    )
    this.#past = db.prepare(
      `SELECT node FROM contracts WHERE kind = ?1 AND archived_offset > ?2 AND created_offset <= ?2
       ORDER BY node`,
    )
    this.#then = db.prepare(
      `SELECT node, created_offset AS offset FROM contracts
       WHERE node > ? AND node <= ? AND ifnull(archived_offset > ?, TRUE) ORDER BY node LIMIT ?`,
    )
  }

  add(node: number, contractId: ContractId, kind: number, offset: number): void {
    this.#add.run(node, contractKey(contractId) ?? null, kind, offset)
  }

  archive(node: number, offset: number): void {
    this.#archive.run(offset, node)
  }

  /** The node that created an active contract. */
  find(contractId: ContractId): number | undefined {
    const key = contractKey(contractId)
    return key === undefined ? undefined : nodeOf(this.#find.get(key))
  }

  /** The node that created a contract which was active at that moment. */
  findThen(contractId: ContractId, { offset }: Moment): number | undefined {
    const key = contractKey(contractId)
    return key === undefined ? undefined : nodeOf(this.#findThen.get(key, offset))
  }

  /** Nodes of active contracts up to `lastNode`, in the order of their creation. */
  active(kind: number, lastNode: number, limit: number): readonly number[] {
    return this.#active.all(kind, lastNode, limit).map((row) => row['node'] as number)
  }

  /** Nodes of all active contracts above `node`, in the order of their creation. */
  everyActive(node: number, limit: number): readonly number[] {
    return this.#everyActive.all(node, limit).map((row) => row['node'] as number)
  }

  /** Contracts of all templates that were active at that moment, of nodes above `node`, in the order of creation. */
  then(node: number, { lastNode, offset }: Moment, limit: number): readonly CreatedAt[] {
    return this.#then.all(node, lastNode, offset, limit) as unknown as CreatedAt[]
  }

  /** Nodes of contracts that were active at that moment and are not any more, in the order of their creation. */
  past(kind: number, { offset }: Moment): readonly number[] {
    return this.#past.all(kind, offset).map((row) => row['node'] as number)
  }
}

function nodeOf(row: Record<string, unknown> | undefined): number | undefined {
  return row?.['node'] as number | undefined
}
