import type { DatabaseSync, StatementSync } from 'node:sqlite'

export const createKinds = `
CREATE TABLE kinds (
  kind INTEGER PRIMARY KEY,
  template TEXT NOT NULL,
  member TEXT NOT NULL,
  UNIQUE (template, member)
) STRICT;
`

/**
 * The `member` of the kinds that stand for a template alone, without a lookup key. Rows of the table
 * `finders` with such a kind have a stakeholder as their value.
 */
export const itself = ''

/**
 * Assigns a short number, the kind, to each pair of a template and a lookup key (`member`). Rows of other
 * tables contain the kind instead of the pair, which makes them short and fast to compare.
 */
export class KindsTable {
  readonly #add: StatementSync
  readonly #find: StatementSync
  /** A cache of the kinds that were already looked up, by template and then by lookup key. */
  readonly #known = new Map<string, Map<string, number>>()

  constructor(db: DatabaseSync) {
    this.#add = db.prepare('INSERT INTO kinds (template, member) VALUES (?, ?)')
    this.#find = db.prepare('SELECT kind FROM kinds WHERE template = ? AND member = ?')
  }

  /** Returns the kind of a template and a lookup key. The first call for a pair adds it to the table. */
  ensure(template: string, member: string): number {
    return this.find(template, member) ?? Number(this.#add.run(template, member).lastInsertRowid)
  }

  /** Returns the kind of a template and a lookup key. Undefined if the table does not contain the pair. */
  find(template: string, member: string): number | undefined {
    const known = this.#known.get(template)?.get(member)
    if (known !== undefined) return known
    const found = this.#find.get(template, member) as { kind: number } | undefined
    if (found !== undefined) this.#remember(template, member, found.kind)
    return found?.kind
  }

  /**
   * Clears the cache. Call this method after a rollback: the rollback may have removed pairs from the table,
   * and SQLite may give their numbers to other pairs.
   */
  forget(): void {
    this.#known.clear()
  }

  #remember(template: string, member: string, kind: number): void {
    const members = this.#known.get(template) ?? new Map<string, number>()
    this.#known.set(template, members.set(member, kind))
  }
}
