import type { DatabaseSync } from 'node:sqlite'
import { faultText, fileFault } from '../../lib/sqlite-faults.ts'

/**
 * `log` and `nodes` are not in this list, because each read of their rows checks a checksum or
 * digest.
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

/** The comparison of a table with its indexes takes about 10 microseconds for each row. */
const mostComparedRows = 20_000
/**
 * The check of a table's pages and of the order of its rows takes about 0.3 microseconds for each
 * row.
 */
const mostScannedRows = 1_000_000

/**
 * Checks the tables for damage that reads would not notice, such as a row that an index lacks.
 * Large tables are checked less, and the largest not at all, to keep the start of the daemon short.
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
  // SQLite may return several lines: a heading, and then the problem in the last line.
  return String(problem).trim().split('\n').at(-1)
}
