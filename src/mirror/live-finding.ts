import { compareEntries } from './compare-entries.ts'
import { expiryOf } from './entries.ts'
import type { MirroredEntry } from './entry.ts'
import type { MirroredName } from './mirrored-names.ts'

/** The consequence of a live read for the mirror: it contradicts a mirrored entry, or it found an entry to add. */
export type LiveFinding =
  | { readonly kind: 'contradiction'; readonly row: MirroredName }
  | { readonly kind: 'entry'; readonly entry: MirroredEntry }

/**
 * Compares a mirrored name with the entry that a live read found. Undefined if the mirror stays as it is.
 * @param row the mirrored name; undefined if the mirror lacks it.
 * @param entry undefined if the live read found that there is no entry.
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
