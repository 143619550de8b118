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
 * The `member` of a kind that stands for a template alone. In the table `finders`, rows of such a
 * kind have a stakeholder as their `value`.
 */
export const noMember = ''

/**
 * Assigns a short number, the kind, to each pair of a template and a lookup key (`member`). Other
 * tables contain the kind, which makes their rows short.
 */
export class KindsTable {
  readonly #add: StatementSync
  readonly #find: StatementSync
  readonly #known = new Map<string, Map<string, number>>()

  constructor(db: DatabaseSync) {
    this.#add = db.prepare('INSERT INTO kinds (template, member) VALUES (?, ?)')
    this.#find = db.prepare('SELECT kind FROM kinds WHERE template = ? AND member = ?')
  }

  ensure(template: string, member: string): number {
    return this.find(template, member) ?? Number(this.#add.run(template, member).lastInsertRowid)
  }

  find(template: string, member: string): number | undefined {
    const known = this.#known.get(template)?.get(member)
    if (known !== undefined) return known
    const found = this.#find.get(template, member) as { kind: number } | undefined
    if (found !== undefined) this.#remember(template, member, found.kind)
    return found?.kind
  }

  /**
   * Call this method after a rollback, because SQLite may give the number of a removed pair to
   * another pair.
   */
  forget(): void {
    this.#known.clear()
  }

  #remember(template: string, member: string, kind: number): void {
    const members = this.#known.get(template) ?? new Map<string, number>()
    this.#known.set(template, members.set(member, kind))
  }
}
