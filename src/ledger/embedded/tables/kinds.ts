import type { DatabaseSync, StatementSync } from 'node:sqlite'

export const createKinds = `
CREATE TABLE kinds (
  kind INTEGER PRIMARY KEY,
  template TEXT NOT NULL,
  member TEXT NOT NULL,
  UNIQUE (template, member)
) STRICT;
`

/** Stands for a template's contracts as such and for their stakeholders, in place of a member's name. */
export const itself = ''

/**
 * Gives a short number (its kind) to each pair of a template and an indexed member. Rows that refer to the pair are
 * then short and fast to compare.
 */
export class KindsTable {
  readonly #add: StatementSync
  readonly #find: StatementSync
  /** Numbers that were read so far, by template and then by member. They save a query. */
  readonly #known = new Map<string, Map<string, number>>()

  constructor(db: DatabaseSync) {
    this.#add = db.prepare('INSERT INTO kinds (template, member) VALUES (?, ?)')
    this.#find = db.prepare('SELECT kind FROM kinds WHERE template = ? AND member = ?')
  }

  /** Returns the number of a template and a member. The first call assigns it. */
  ensure(template: string, member: string): number {
    return this.find(template, member) ?? Number(this.#add.run(template, member).lastInsertRowid)
  }

  /** Returns the number of a template and a member; undefined if no contract ever needed one. */
  find(template: string, member: string): number | undefined {
    const known = this.#known.get(template)?.get(member)
    if (known !== undefined) return known
    const found = this.#find.get(template, member) as { kind: number } | undefined
    if (found !== undefined) this.#remember(template, member, found.kind)
    return found?.kind
  }

  /** Drops the numbers kept in memory. Call it after a rollback, because the same numbers will be assigned again. */
  forget(): void {
    this.#known.clear()
  }

  #remember(template: string, member: string, kind: number): void {
    const members = this.#known.get(template) ?? new Map<string, number>()
    this.#known.set(template, members.set(member, kind))
  }
}
