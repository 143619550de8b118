import type { MirroredEntry } from '../reads/mirrored-entry.ts'

/** Milliseconds since 1970. Digits below a millisecond are cut off. */
export function expiryOf({ expires_at }: Pick<MirroredEntry, 'expires_at'>): number {
  return Date.parse(expires_at)
}

/** At the exact moment of its expiry, an entry is still valid, and scans still return the entry. */
export function isUnexpired(entry: Pick<MirroredEntry, 'expires_at'>, at: number): boolean {
  return expiryOf(entry) >= at
}

/**
 * Returns the names that several unexpired entries have. The ledger does not enforce unique names,
 * and scans may return different entries for such a name.
 */
export function* ambiguousNames(
  entries: Iterable<MirroredEntry>,
  at: number,
): Generator<void, ReadonlySet<string>> {
  const seen = new Set<string>()
  const ambiguous = new Set<string>()
  for (const entry of entries) {
    yield
    if (!isUnexpired(entry, at)) continue
    if (seen.has(entry.name)) ambiguous.add(entry.name)
    seen.add(entry.name)
  }
  return ambiguous
}
