import { partedWork } from '../lib/in-portions.ts'
import { parseJsonText } from '../lib/parse-json-text.ts'
import type { DsoMember } from '../reads/dso-member.ts'
import type { MirroredEntry } from '../reads/mirrored-entry.ts'
import type { SnapshotRow } from '../reads/snapshot-page.ts'
import type { JudgedPage } from '../scan/judge-protocol.ts'

/**
 * The largest number of contracts besides the entries. Normally a snapshot has one such contract:
 * the rules of the DSO. During an upgrade there may be more.
 */
const mostOthers = 16

/**
 * The rows of one scan, of all scans whose snapshot is read at a time. A set with more bytes than
 * `most` is not kept, and is read again once it is agreed.
 */
export class KeptRows {
  readonly #most: number
  #of: SnapshotSet | undefined
  #bytes = 0
  #pages: Uint8Array[] = []

  constructor(most: number) {
    this.#most = most
  }

  /** Keeps a page of `set`, if it is the first page of all sets, or if all earlier pages are kept. */
  add(set: SnapshotSet, page: Uint8Array): void {
    if (set.size === 0 && this.#of === undefined) this.#of = set
    if (this.#of !== set) return
    this.#bytes += page.length
    if (this.#bytes > this.#most) return this.drop(set)
    this.#pages.push(page)
  }

  drop(set: SnapshotSet): void {
    if (this.#of !== set) return
    this.#of = undefined
    this.#bytes = 0
    this.#pages = []
  }

  pagesOf(set: SnapshotSet): readonly Uint8Array[] | undefined {
    return this.#of === set ? this.#pages : undefined
  }
}

/**
 * The contracts of one snapshot that one scan has sent so far: a hash of each row, and for one of
 * the scans the rows themselves.
 */
export class SnapshotSet {
  readonly #kept: KeptRows
  readonly hashes: Uint8Array[] = []
  #entries = 0
  #others = 0

  constructor(kept: KeptRows) {
    this.#kept = kept
  }

  add({ rows, hashes, entries, others }: Extract<JudgedPage, { kind: 'page' }>): void {
    this.#kept.add(this, rows)
    this.hashes.push(hashes)
    this.#entries += entries
    this.#others += others
  }

  get size(): number {
    return this.#entries + this.#others
  }

  excess(maxEntries: number): 'entries' | 'others' | undefined {
    if (this.#entries > maxEntries) return 'entries'
    return this.#others > mostOthers ? 'others' : undefined
  }

  drop(): void {
    this.#kept.drop(this)
  }

  /** Returns undefined if the rows are not kept. */
  async rows(): Promise<readonly SnapshotRow[] | undefined> {
    const pages = this.#kept.pagesOf(this)
    return pages && partedWork(rowsIn(pages))
  }
}

function* rowsIn(pages: readonly Uint8Array[]): Generator<void, readonly SnapshotRow[]> {
  const rows: SnapshotRow[] = []
  for (const page of pages) {
    for (const row of parseJsonText(Buffer.from(page.buffer).toString()) as readonly SnapshotRow[])
      rows.push(row)
    yield
  }
  return rows
}

export function entriesIn(rows: readonly SnapshotRow[]): readonly MirroredEntry[] {
  return rows.flatMap(({ entry }) => entry ?? [])
}

/**
 * Returns the super validators that the `DsoRules` contract lists. Undefined if the set has no such
 * contract, several of them, or one that cannot be read.
 */
export function membersOf(rows: readonly SnapshotRow[]): readonly DsoMember[] | undefined {
  const found = rows.flatMap(({ members }) => (members === undefined ? [] : [members]))
  return found.length === 1 ? (found[0] ?? undefined) : undefined
}
