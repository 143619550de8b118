import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { HostedParty, PartyFilter } from '../../ledger.ts'
import type { Party } from '../../value.ts'

export const createParties = `
CREATE TABLE parties (
  party TEXT PRIMARY KEY,
  user_id TEXT NOT NULL,
  offset INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX parties_by_user ON parties (user_id) WHERE user_id <> '';
`

/** The user id is empty for a party without a user. */
export class PartiesTable {
  readonly #add: StatementSync
  readonly #has: StatementSync
  readonly #ofUser: StatementSync
  readonly #offset: StatementSync
  readonly #list: StatementSync

  constructor(db: DatabaseSync) {
    this.#add = db.prepare('INSERT INTO parties (party, user_id, offset) VALUES (?, ?, ?)')
    this.#has = db.prepare('SELECT TRUE FROM parties WHERE party = ?')
    this.#offset = db.prepare('SELECT offset FROM parties WHERE party = ?')
    this.#list = db.prepare(
      'SELECT party, user_id AS userId FROM parties WHERE party > ? AND party >= ? AND party < ? ORDER BY party LIMIT ?',
    )
    this.#ofUser = db.prepare("SELECT party FROM parties WHERE user_id = ? AND user_id <> ''")
  }

  add(party: Party, userId: string, offset: number): void {
    this.#add.run(party, userId, offset)
  }

  has(party: Party): boolean {
    return this.#has.get(party) !== undefined
  }

  ofUser(userId: string): Party | undefined {
    return (this.#ofUser.get(userId) as { party: Party } | undefined)?.party
  }

  list({ prefix, after, limit }: PartyFilter): readonly HostedParty[] {
    return this.#list.all(after, prefix, `${prefix}\u{10ffff}`, limit) as unknown as readonly HostedParty[]
  }

  offsetOf(party: Party): number | undefined {
    return (this.#offset.get(party) as { offset: number } | undefined)?.offset
  }
}
