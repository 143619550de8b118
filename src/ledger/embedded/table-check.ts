import type { DatabaseSync } from 'node:sqlite'
import { faultText, fileFault } from '../../lib/sqlite-faults.ts'

/**
 * The tables to check. Their rows have no digests, unlike those of `log` and `nodes`, whose digests are checked when
 * they are read.
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
 * Tables with more rows than this are not compared with their indexes. The comparison takes about 10 us for each row.
 */
const mostComparedRows = 20_000
/**
 * Neither the pages nor the order of the rows are checked in tables with more rows than this. That check takes about
 * 0.3 us for each row.
 */
const mostScannedRows = 1_000_000

/**
 * Checks the tables for damage that reads would not notice, such as a row that an index lacks. A start must not take
 * longer than seconds. So tables of more than 20,000 rows are not compared with their indexes, and tables of more than
 * a million rows are left to `ledger verify`.
 * @returns the first problem; undefined if there is none.
 */
export function checkTables(db: DatabaseSync): string | undefined {
  try {
    for (const table of tables) {
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

function countUpTo(db: DatabaseSync, table: string, most: number): number {
  const row = db.prepare(`SELECT count(*) AS rows FROM (SELECT 1 FROM ${table} LIMIT ${most})`).get()
  return Number(row?.['rows'])
}

function firstProblem(db: DatabaseSync, pragma: string): string | undefined {
  const [problem = 'ok'] = Object.values(db.prepare(`PRAGMA ${pragma}`).get() ?? {})
  if (problem === 'ok') return undefined
  // SQLite writes headings before the first problem of a table; the problem is in the last line.
  return String(problem).trim().split('\n').at(-1)
}
