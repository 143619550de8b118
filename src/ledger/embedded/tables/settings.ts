import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Party } from '../../value.ts'

export const createSettings = `
CREATE TABLE settings (
  party TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (party, key)
) STRICT, WITHOUT ROWID;
`

/**
 * Strings of a party, such as whether the wallet pays the party's renewals. Settings are not part
 * of the log.
 */
export class SettingsTable {
  readonly #set: StatementSync
  readonly #get: StatementSync

  constructor(db: DatabaseSync) {
    this.#set = db.prepare(
      `INSERT INTO settings (party, key, value) VALUES (?, ?, ?)
       ON CONFLICT (party, key) DO UPDATE SET value = excluded.value`,
    )
    this.#get = db.prepare('SELECT value FROM settings WHERE party = ? AND key = ?')
  }

  set(party: Party, key: string, value: string): void {
    this.#set.run(party, key, value)
  }

  get(party: Party, key: string): string | undefined {
    return (this.#get.get(party, key) as { value: string } | undefined)?.value
  }
}
