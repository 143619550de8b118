import type { DatabaseSync } from 'node:sqlite'
import { nodeIn } from '../../daml/identifiers.ts'
import type { ContractId } from '../../value.ts'
import type { ChainMoment } from '../chain.ts'

/**
 * The only row of the table holds the position up to which updates are pruned. The triggers reject
 * changes of the rows after that position.
 */
export const createPruning = `
CREATE TABLE pruning (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  up_to INTEGER NOT NULL,
  last_node INTEGER NOT NULL
) STRICT;
INSERT INTO pruning VALUES (1, 0, 0);
CREATE TRIGGER log_stays BEFORE UPDATE ON log
  WHEN OLD.offset > (SELECT up_to FROM pruning) OR NEW.command_key IS NOT NULL
  BEGIN SELECT RAISE(ABORT, 'the log is only added to'); END;
CREATE TRIGGER log_keeps BEFORE DELETE ON log WHEN OLD.offset >= (SELECT up_to FROM pruning)
  BEGIN SELECT RAISE(ABORT, 'the log is only added to'); END;
CREATE TRIGGER nodes_keep BEFORE DELETE ON nodes WHEN OLD.node > (SELECT last_node FROM pruning)
  BEGIN SELECT RAISE(ABORT, 'the log is only added to'); END;
`

const archived = `
SELECT json_extract(body, '$.contractId') AS contractId FROM nodes
WHERE node > :first AND node <= :last AND json_extract(body, '$.kind') = 'exercise' AND json_extract(body, '$.consuming')
`

/**
 * Deletes pruned updates, except for these rows:
 * - the row of the last pruned update in the table `log`;
 * - for each contract that is active after it: the node that created the contract, and the row of
 *   that node's update in the table `log`.
 */
export class PruningTable {
  readonly #db: DatabaseSync
  #upTo: ChainMoment | undefined

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  /** The position right after the last pruned update; if nothing was pruned, the beginning. */
  get upTo(): ChainMoment {
    this.#upTo ??= this.#read()
    return this.#upTo
  }

  /** Call this method after a rollback, which may have undone a pruning. */
  forget(): void {
    this.#upTo = undefined
  }

  /** Call this method only within a transaction of the database. */
  prune(to: ChainMoment): void {
    const db = this.#db
    const { offset: begin, lastNode: first } = this.upTo
    db.prepare('UPDATE pruning SET up_to = ?, last_node = ?').run(to.offset, to.lastNode)
    this.#upTo = to
    const range = { first, last: to.lastNode }
    db.exec(
      'CREATE TEMP TABLE IF NOT EXISTS gone (node INTEGER PRIMARY KEY, created_offset INTEGER NOT NULL)',
    )
    db.exec('DELETE FROM gone')
    const add = db.prepare(
      'INSERT INTO gone SELECT node, created_offset FROM contracts WHERE node = ? AND archived_offset <= ?',
    )
    for (const { contractId } of db.prepare(archived).all(range) as { contractId: ContractId }[])
      add.run(nodeIn(contractId) ?? null, to.offset)
    db.exec(`
      DELETE FROM entries WHERE node IN (SELECT node FROM gone);
      DELETE FROM contracts WHERE node IN (SELECT node FROM gone);
      DELETE FROM nodes WHERE node IN (SELECT node FROM gone);
    `)
    db.prepare(
      `DELETE FROM nodes WHERE node > :first AND node <= :last
       AND node NOT IN (SELECT node FROM contracts WHERE node > :first AND node <= :last)`,
    ).run(range)
    db.prepare(
      `DELETE FROM log WHERE offset < :end
       AND (offset >= :begin OR offset IN (SELECT created_offset FROM gone))
       AND NOT EXISTS (SELECT 1 FROM contracts WHERE node >= first_node AND node < first_node + node_count)`,
    ).run({ begin, end: to.offset })
    db.prepare(
      'UPDATE log SET command_key = NULL WHERE offset >= ? AND offset <= ? AND command_key IS NOT NULL',
    ).run(begin, to.offset)
  }

  #read(): ChainMoment {
    const row = this.#db.prepare('SELECT up_to AS offset, last_node AS lastNode FROM pruning').get()
    return { ...(row as unknown as ChainMoment) }
  }
}
