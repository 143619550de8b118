import type { MirroredEntry } from '../reads/mirrored-entry.ts'
import { compareEntries } from './compare-entries.ts'
import { expiryOf } from './entry-expiry.ts'
import type { MirroredName } from './mirrored-names.ts'

/**
 * The effect of a live read, for which super validators were asked: the read contradicts a mirrored
 * entry, or found an entry to add.
 */
export type LiveFinding =
  | { readonly kind: 'contradiction'; readonly row: MirroredName }
  | { readonly kind: 'entry'; readonly entry: MirroredEntry }

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
