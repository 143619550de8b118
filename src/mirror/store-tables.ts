import type { DatabaseSync } from 'node:sqlite'
import { digest } from '../lib/digest.ts'
import { Damage } from '../lib/sqlite-faults.ts'
import type { Followed } from './following.ts'
import type { NameUpdate } from './name-update.ts'
import { justBefore } from './snapshot-grid.ts'
import type { MirrorHeader, MirrorWrite } from './store-protocol.ts'
import type { OverlayRow } from './store-rows.ts'
import type { Withheld } from './withheld-in-file.ts'

/**
 * The JSON in the only row of the table `state`. Its digests and numbers of rows serve to check the
 * other tables.
 */
interface State {
  readonly network: string
  readonly header?: MirrorHeader | undefined
  readonly chunks: readonly string[]
  readonly overlay: number
  /** `updates` is the number of rows in the table `followed`. */
  readonly followed?: (Omit<Followed, 'updates'> & { readonly updates: number }) | undefined
  readonly floor?: LatestStoredSet | undefined
}

/**
 * The latest set that the file ever had. The file accepts no earlier set of the same DSO, so that
 * names never go back in time.
 */
export interface LatestStoredSet {
  readonly at: number
  readonly dso: string
}

const tables = `
CREATE TABLE state (id INTEGER PRIMARY KEY CHECK (id = 1), body TEXT NOT NULL, digest TEXT NOT NULL) STRICT;
CREATE TABLE chunk (number INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT;
CREATE TABLE overlay (name TEXT PRIMARY KEY, body TEXT NOT NULL, digest TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE followed (number INTEGER PRIMARY KEY, body TEXT NOT NULL, digest TEXT NOT NULL) STRICT;
`

export function createTables(db: DatabaseSync, state: Pick<State, 'network' | 'floor'>): void {
  db.exec(tables)
  writeState(db, { ...state, chunks: [], overlay: 0 })
}

/** @throws Damage if the row is missing or does not match its digest. */
export function readState(db: DatabaseSync): State {
  const row = db.prepare('SELECT body, digest FROM state').get()
  if (row === undefined) throw new Damage('it has no state')
  return JSON.parse(verified(row['body'], row['digest'])) as State
}

export function* readChunks(db: DatabaseSync, { chunks }: State): Generator<Uint8Array<ArrayBuffer>> {
  const select = db.prepare('SELECT body FROM chunk WHERE number = ?')
  for (const [number, expected] of chunks.entries()) {
    const body = select.get(number)?.['body']
    if (!(body instanceof Uint8Array) || digest(body) !== expected)
      throw new Damage('its entries are not those that were written')
    yield body as Uint8Array<ArrayBuffer>
  }
}

export function readOverlay(db: DatabaseSync, state: State): string[] {
  const rows = db.prepare('SELECT body, digest FROM overlay').all()
  if (rows.length !== state.overlay) throw new Damage('an entry of a live read is missing')
  return rows.map(({ body, digest: expected }) => verified(body, expected))
}

export function readFollowed(db: DatabaseSync, { followed }: State): Followed | undefined {
  if (followed === undefined) return undefined
  const rows = db.prepare('SELECT body, digest FROM followed ORDER BY number').all()
  if (rows.length !== followed.updates) throw new Damage('an update that was followed is missing')
  const updates = rows.map(({ body, digest: expected }) => JSON.parse(verified(body, expected)) as NameUpdate)
  return { ...followed, updates }
}

/** The caller must have begun a transaction. */
export function replaceAll(
  db: DatabaseSync,
  { header, chunks, overlay, followed }: MirrorWrite,
  network: string,
): void {
  db.exec('DELETE FROM chunk; DELETE FROM overlay; DELETE FROM followed')
  const insert = db.prepare('INSERT INTO chunk (number, body) VALUES (?, ?)')
  for (const [number, body] of chunks.entries()) insert.run(number, body)
  const { at, dso } = header.set
  const state = {
    network,
    header,
    chunks: chunks.map((chunk) => digest(chunk)),
    overlay: 0,
    floor: { at, dso },
    followed: followed && insertFollowed(db, followed, 0),
  }
  addOverlay(db, state, overlay)
}

/**
 * Returns the record time up to which the file has all updates. The next stored updates must begin
 * there.
 */
export function followedUntil({ header, followed }: State): string | undefined {
  return followed?.at ?? (header && justBefore(header.set.at))
}

/** @returns false, with nothing changed, if the file has another set of names or none. */
export function writeWithheld(db: DatabaseSync, digestOfSet: string, withheld: Withheld): boolean {
  const state = readState(db)
  const { header } = state
  if (header?.set.digest !== digestOfSet) return false
  writeState(db, { ...state, header: { ...header, withheld } })
  return true
}

export function addFollowed(db: DatabaseSync, state: State, step: Followed): void {
  const { after = step.after, updates = 0 } = state.followed ?? {}
  writeState(db, { ...state, followed: insertFollowed(db, { ...step, after }, updates) })
}

function insertFollowed(db: DatabaseSync, { updates, ...step }: Followed, from: number): State['followed'] {
  const insert = db.prepare('INSERT INTO followed (number, body, digest) VALUES (?, ?, ?)')
  for (const [index, update] of updates.entries()) {
    const body = JSON.stringify(update)
    insert.run(from + index, body, digest(body))
  }
  return { ...step, updates: from + updates.length }
}

export function addOverlay(db: DatabaseSync, state: State, rows: readonly OverlayRow[]): void {
  const remove = db.prepare('DELETE FROM overlay WHERE name = ?')
  const insert = db.prepare('INSERT INTO overlay (name, body, digest) VALUES (?, ?, ?)')
  let count = state.overlay
  for (const { name, body } of rows) {
    count += 1 - Number(remove.run(name).changes)
    insert.run(name, body, digest(body))
  }
  writeState(db, { ...state, overlay: count })
}

function writeState(db: DatabaseSync, state: State): void {
  const body = JSON.stringify(state)
  db.prepare('INSERT OR REPLACE INTO state (id, body, digest) VALUES (1, ?, ?)').run(body, digest(body))
}

function verified(text: unknown, expected: unknown): string {
  if (typeof text !== 'string' || digest(text) !== expected) throw new Damage('a row is not what was written')
  return text
}
