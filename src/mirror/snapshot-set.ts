import { partedWork } from '../base/lib/in-portions.ts'
import { parseJsonText } from '../base/lib/parse-json-text.ts'
import type { DsoMember, MirroredEntry } from './mirrored-contracts.ts'
import type { JudgedPage, SnapshotRow } from './snapshot-page.ts'

/**
 * The largest number of contracts besides the entries. Normally a snapshot has one such contract:
 * the rules of the DSO. During an upgrade there may be more.
 */
const mostOthers = 16

/**
 * The contracts of one snapshot that one scan has sent so far: a hash of each row, and the rows
 * themselves if they are to be kept.
 */
export class SnapshotSet {
  readonly hashes: Uint8Array[] = []
  readonly #mostKept: number
  readonly #pages: Uint8Array[] = []
  #bytes = 0
  #entries = 0
  #others = 0

  /** @param mostKept no rows are kept of a set with more bytes. */
  constructor(mostKept: number) {
    this.#mostKept = mostKept
  }

  add({ rows, hashes, entries, others }: Extract<JudgedPage, { kind: 'page' }>): void {
    this.#bytes += rows.length
    if (this.#bytes <= this.#mostKept) this.#pages.push(rows)
    this.hashes.push(hashes)
    this.#entries += entries
    this.#others += others
  }

  get size(): number {
    return this.#entries + this.#others
  }

  get bytes(): number {
    return this.#bytes
  }

  get entries(): number {
    return this.#entries
  }

  get hasTooManyOthers(): boolean {
    return this.#others > mostOthers
  }

  /** Returns undefined if the rows are not kept. */
  async rows(): Promise<readonly SnapshotRow[] | undefined> {
    return this.#bytes <= this.#mostKept ? partedWork(rowsIn(this.#pages)) : undefined
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
