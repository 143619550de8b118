import type { DatabaseSync, StatementSync } from 'node:sqlite'

export const createKinds = `
CREATE TABLE kinds (
  kind INTEGER PRIMARY KEY,
  template TEXT NOT NULL,
  member TEXT NOT NULL,
  UNIQUE (template, member)
) STRICT;
`

/** In place of a member: the contracts of a template as such, and their stakeholders. */
export const itself = ''

/** Short numbers for what contracts are found by, so that rows and comparisons are short: a template and a member. */
export class KindsTable {
  readonly #add: StatementSync
  readonly #find: StatementSync
  /** By template, then by member. */
  readonly #known = new Map<string, Map<string, number>>()

  constructor(db: DatabaseSync) {
    this.#add = db.prepare('INSERT INTO kinds (template, member) VALUES (?, ?)')
    this.#find = db.prepare('SELECT kind FROM kinds WHERE template = ? AND member = ?')
  }

  /** The number of a kind that contracts are added under. */
  ensure(template: string, member: string): number {
    return this.find(template, member) ?? Number(this.#add.run(template, member).lastInsertRowid)
  }

  /** Undefined for a kind that no contract was ever of. */
  find(template: string, member: string): number | undefined {
    const known = this.#known.get(template)?.get(member)
    if (known !== undefined) return known
    const found = this.#find.get(template, member) as { kind: number } | undefined
    if (found !== undefined) this.#remember(template, member, found.kind)
    return found?.kind
  }

  /** To be called when a transaction was rolled back: its numbers will be those of others. */
  forget(): void {
    this.#known.clear()
  }

  #remember(template: string, member: string, kind: number): void {
    const members = this.#known.get(template) ?? new Map<string, number>()
    this.#known.set(template, members.set(member, kind))
  }
}
