import { compareEntries } from './compare-entries.ts'
import { expiryOf } from './entry-expiry.ts'
import type { MirroredEntry } from './mirrored-entry.ts'
import type { MirroredName } from './mirrored-names.ts'

/**
 * The effect of a live read on the mirror: the read contradicts a mirrored entry, or it found an entry to
 * add. A live read is one for which super validators were asked.
 */
export type LiveFinding =
  | { readonly kind: 'contradiction'; readonly row: MirroredName }
  | { readonly kind: 'entry'; readonly entry: MirroredEntry }

/**
 * Compares the mirrored entry of a name with the result of a live read. Returns what the mirror must change
 * because of it; undefined if the mirror stays as it is.
 * @param row the mirrored entry; undefined if the mirror has none.
 * @param entry the entry on which the live read agreed; undefined if it agreed that there is none.
 * @param reached the time that the ledger has reached: milliseconds since 1970.
 */
export function liveFinding(
  row: MirroredName | undefined,
  entry: MirroredEntry | undefined,
  reached: number,
): LiveFinding | undefined {
  if (row !== undefined && row.endsAt > reached) {
    const change = entry && compareEntries(row.entry, entry)
    if (change === undefined || change === 'other') return { kind: 'contradiction', row }
    if (change !== 'renewed') return undefined
  }
  if (entry === undefined || !(expiryOf(entry) > reached)) return undefined
  return { kind: 'entry', entry }
}
