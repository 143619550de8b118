import { compareEntries } from './compare-entries.ts'
import type { MirroredEntry } from './mirrored-entry.ts'

/** The difference between two sets of entries that should be equal. */
export interface SetDifference {
  /** The entries of the first set that are missing or different in the second set. */
  readonly onlyInFirst: readonly MirroredEntry[]
  readonly onlyInSecond: readonly MirroredEntry[]
}

/** Compares two sets of entries, in any order. Returns undefined if they are equal. */
export function differenceOf(
  first: readonly MirroredEntry[],
  second: readonly MirroredEntry[],
): SetDifference | undefined {
  const onlyInFirst = missingIn(second, first)
  const onlyInSecond = missingIn(first, second)
  return onlyInFirst.length + onlyInSecond.length === 0 ? undefined : { onlyInFirst, onlyInSecond }
}

function missingIn(set: readonly MirroredEntry[], of: readonly MirroredEntry[]): readonly MirroredEntry[] {
  const known = new Map(set.map((entry) => [entry.contract_id, entry]))
  return of.filter((entry) => {
    const same = known.get(entry.contract_id)
    return same === undefined || same.name !== entry.name || compareEntries(same, entry) !== 'same'
  })
}
