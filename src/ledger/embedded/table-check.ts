import type { DatabaseSync } from 'node:sqlite'
import { faultText, fileFault } from '../../lib/sqlite-faults.ts'
import { formatOf } from './migrations.ts'

/**
 * The tables to check. Their rows have neither checksums nor digests. The rows of `log` and `nodes` have them, and
 * reads of updates and nodes check them, so these two tables are not in the list.
 */
const tables = [
  'identity',
  'pruning',
  'settings',
  'kinds',
  'parties',
  'entries',
  'due',
  'contracts',
  'finders',
]

/**
 * If a table has more rows than this, it is not compared with its indexes. The comparison takes about 10 microseconds
 * for each row.
 */
const mostComparedRows = 20_000
/**
 * If a table has more rows than this, its pages and the order of its rows are not checked. The check takes about 0.3
 * microseconds for each row.
 */
const mostScannedRows = 1_000_000

/**
 * Checks the tables for damage that reads would not notice, such as a row that an index lacks. Large tables are checked
 * less, so that the start stays short:
 * - A table of more than 20,000 rows is not compared with its indexes.
 * - A table of more than a million rows is not checked at all. Only the command `ledger verify` checks it.
 *
 * Tables that the file's format does not have yet are not checked.
 *
 * @returns the first problem; undefined if there is none.
 */
export function checkTables(db: DatabaseSync): string | undefined {
  try {
    const isOlder = formatOf(db) === 'older'
    for (const table of tables) {
      if (isOlder && !exists(db, table)) continue
      const problem = check(db, table)
      if (problem !== undefined) return problem
    }
    return undefined
  } catch (error) {
    if (fileFault(error) !== 'damaged') throw error
    return faultText(error)
  }
}

/**
 * Checks every page of the file.
 * @returns the first problem; undefined if there is none.
 */
export function checkPages(db: DatabaseSync): string | undefined {
  try {
    return firstProblem(db, 'quick_check(1)')
  } catch (error) {
    return faultText(error)
  }
}

function check(db: DatabaseSync, table: string): string | undefined {
  const rows = countUpTo(db, table, mostScannedRows + 1)
  if (rows > mostScannedRows) return undefined
  return firstProblem(db, `${rows > mostComparedRows ? 'quick_check' : 'integrity_check'}('${table}')`)
}

function exists(db: DatabaseSync, table: string): boolean {
  return db.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(table) !== undefined
}

function countUpTo(db: DatabaseSync, table: string, most: number): number {
  const row = db.prepare(`SELECT count(*) AS rows FROM (SELECT 1 FROM ${table} LIMIT ${most})`).get()
  return Number(row?.['rows'])
}

function firstProblem(db: DatabaseSync, pragma: string): string | undefined {
  const [problem = 'ok'] = Object.values(db.prepare(`PRAGMA ${pragma}`).get() ?? {})
  if (problem === 'ok') return undefined
  // SQLite may write a heading before the problem, so the problem is in the last line.
  return String(problem).trim().split('\n').at(-1)
}
