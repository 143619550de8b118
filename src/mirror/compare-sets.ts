import type { MirroredEntry } from '../reads/mirrored-entry.ts'
import { compareEntries } from './continuity.ts'

export interface SetDifference {
  /** These entries are missing or different in the second set. */
  readonly onlyInFirst: readonly MirroredEntry[]
  readonly onlyInSecond: readonly MirroredEntry[]
}

export function* differenceOf(
  first: readonly MirroredEntry[],
  second: readonly MirroredEntry[],
): Generator<void, SetDifference | undefined> {
  const onlyInFirst = yield* missingIn(second, first)
  const onlyInSecond = yield* missingIn(first, second)
  return onlyInFirst.length + onlyInSecond.length === 0 ? undefined : { onlyInFirst, onlyInSecond }
}

function* missingIn(
  set: readonly MirroredEntry[],
  of: readonly MirroredEntry[],
): Generator<void, readonly MirroredEntry[]> {
  const known = new Map<string, MirroredEntry>()
  for (const entry of set) {
    known.set(entry.contract_id, entry)
    yield
  }
  const missing: MirroredEntry[] = []
  for (const entry of of) {
    const same = known.get(entry.contract_id)
    if (same === undefined || same.name !== entry.name || compareEntries(same, entry) !== 'same')
      missing.push(entry)
    yield
  }
  return missing
}
