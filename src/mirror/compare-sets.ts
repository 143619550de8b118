import { compareEntries } from './compare-entries.ts'
import type { MirroredEntry } from './mirrored-entry.ts'

export interface SetDifference {
  /** These entries are missing or different in the second set. */
  readonly onlyInFirst: readonly MirroredEntry[]
  readonly onlyInSecond: readonly MirroredEntry[]
}

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
