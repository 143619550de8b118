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
 * The content of the only row of the table `state`, as JSON. It serves to check the other tables: `chunks`
 * has the digests of the chunks, `overlay` the number of overlay rows, and `followed.updates` the number of
 * rows in the table `followed`.
 */
interface State {
  readonly network: string
  /** The header of the stored set of names; undefined if no set was stored yet. */
  readonly header?: MirrorHeader | undefined
  /** SHA-256 of each chunk, in order. */
  readonly chunks: readonly string[]
  readonly overlay: number
  /**
   * A `Followed` of all stored updates, except that `updates` is the number of rows in the table `followed`.
   */
  readonly followed?: (Omit<Followed, 'updates'> & { readonly updates: number }) | undefined
  /**
   * The latest set of names that this file, or the renamed file before it, ever had. Undefined if there is
   * none.
   */
  readonly floor?: EarliestSet | undefined
}

/**
 * The earliest set of names that a file accepts for its DSO. It is the latest set that the file ever had, so
 * that the mirror's names never go back in time.
 */
export interface EarliestSet {
  /** The record time of the set: milliseconds since 1970. */
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

/**
 * Returns the content of the table `state`, verified by its digest.
 * @throws Damage
 */
export function readState(db: DatabaseSync): State {
  const row = db.prepare('SELECT body, digest FROM state').get()
  if (row === undefined) throw new Damage('it has no state')
  return JSON.parse(verified(row['body'], row['digest'])) as State
}

/**
 * Yields the chunks in order, each one verified by its digest.
 * @throws Damage
 */
export function* readChunks(db: DatabaseSync, { chunks }: State): Generator<Uint8Array<ArrayBuffer>> {
  const select = db.prepare('SELECT body FROM chunk WHERE number = ?')
  for (const [number, expected] of chunks.entries()) {
    const body = select.get(number)?.['body']
    if (!(body instanceof Uint8Array) || digest(body) !== expected)
      throw new Damage('its entries are not those that were written')
    yield body as Uint8Array<ArrayBuffer>
  }
}

/**
 * Returns the bodies of the overlay rows, each one verified by its digest.
 * @throws Damage
 */
export function readOverlay(db: DatabaseSync, state: State): string[] {
  const rows = db.prepare('SELECT body, digest FROM overlay').all()
  if (rows.length !== state.overlay) throw new Damage('an entry of a live read is missing')
  return rows.map(({ body, digest: expected }) => verified(body, expected))
}

/**
 * Returns the stored updates, and verifies each one by its digest. Undefined at level `bindings`.
 * @throws Damage
 */
export function readFollowed(db: DatabaseSync, { followed }: State): Followed | undefined {
  if (followed === undefined) return undefined
  const rows = db.prepare('SELECT body, digest FROM followed ORDER BY number').all()
  if (rows.length !== followed.updates) throw new Damage('an update that was followed is missing')
  const updates = rows.map(({ body, digest: expected }) => JSON.parse(verified(body, expected)) as NameUpdate)
  return { ...followed, updates }
}

/** Replaces the whole content of the file, in a transaction that has begun. */
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
 * Returns the record time up to which the file has all updates. The next stored step must begin there
 * (`after`). Undefined if the file has no set.
 */
export function followedUntil({ header, followed }: State): string | undefined {
  return followed?.at ?? (header && justBefore(header.set.at))
}

/**
 * Replaces the stored `Withheld`, in a transaction that has begun.
 * @param digestOfSet the digest of the set of names to which `withheld` belongs.
 * @returns false, with nothing changed, if the file has another set or none.
 */
export function writeWithheld(db: DatabaseSync, digestOfSet: string, withheld: Withheld): boolean {
  const state = readState(db)
  const { header } = state
  if (header?.set.digest !== digestOfSet) return false
  writeState(db, { ...state, header: { ...header, withheld } })
  return true
}

/** Appends the updates of a step to the stored ones, in a transaction that has begun. */
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

/** Adds or replaces entries of the overlay, in a transaction that has begun. */
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
