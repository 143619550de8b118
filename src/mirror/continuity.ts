import { isLater } from '../reads/instant.ts'
import { expiryOf } from './entry-expiry.ts'
import type { MirroredEntry } from './mirrored-entry.ts'

/** An entry and its successor with the same owner, name, url and description, and a later expiry. */
export interface Renewal {
  readonly from: MirroredEntry
  readonly to: MirroredEntry
}

/**
 * What became of each entry between two sets of entries: the earlier entries that were kept, renewed, expired or
 * withdrawn, and the later entries that are new.
 */
export interface Continuity {
  readonly kept: readonly MirroredEntry[]
  readonly renewed: readonly Renewal[]
  /** The new entries that renew no earlier entry. */
  readonly added: readonly MirroredEntry[]
  readonly expired: readonly MirroredEntry[]
  /** The entries that disappeared before their expiry. No workflow of the DSO removes an entry so early. */
  readonly withdrawn: readonly MirroredEntry[]
}

/**
 * The longest time, in milliseconds, by which the ledger time of a transaction may be ahead of its record
 * time (Canton's `ledgerTimeRecordTimeTolerance`). The ledger may therefore archive an entry up to this long
 * before the record time reaches the entry's expiry. A snapshot taken in between already lacks the entry.
 */
const ledgerTimeToleranceMs = 60_000

/**
 * The maximum number of unexpired entries of the mirror's present set that may be missing from a new set. If
 * more are missing, the mirror does not take the new set.
 */
const mostWithdrawn = 1

/**
 * Compares the entries of two snapshots, or the entries that one update archived with those that it created.
 * @param at the record time of the later snapshot, or of the update: milliseconds since 1970.
 */
export function continuityOf(
  before: readonly MirroredEntry[],
  after: readonly MirroredEntry[],
  at: number,
): Continuity {
  const earlier = new Map(before.map((entry) => [entry.contract_id, entry]))
  const kept: MirroredEntry[] = []
  const created = new Map<string, MirroredEntry[]>()
  for (const entry of after) {
    const known = earlier.get(entry.contract_id)
    if (known !== undefined && isSameContract(known, entry)) {
      kept.push(entry)
      earlier.delete(entry.contract_id)
    } else created.set(holdingOf(entry), [...(created.get(holdingOf(entry)) ?? []), entry])
  }
  return { kept, ...successors([...earlier.values()], created, at) }
}

/** Whether the later entries may replace the earlier ones: at most `mostWithdrawn` entries are withdrawn. */
export function isContinuous({ withdrawn }: Continuity): boolean {
  return withdrawn.length <= mostWithdrawn
}

/**
 * Pairs missing entries with the new entries that renew them. Each new entry renews at most one missing
 * entry.
 */
function successors(
  missing: readonly MirroredEntry[],
  created: ReadonlyMap<string, MirroredEntry[]>,
  at: number,
): Omit<Continuity, 'kept'> {
  const renewed: Renewal[] = []
  const expired: MirroredEntry[] = []
  const withdrawn: MirroredEntry[] = []
  for (const from of missing.toSorted(laterExpiryFirst)) {
    const candidates = created.get(holdingOf(from)) ?? []
    const place = candidates.findIndex((to) => isLater(to.expires_at, from.expires_at))
    if (place !== -1) renewed.push({ from, to: candidates.splice(place, 1)[0] as MirroredEntry })
    else if (expiryOf(from) < at + ledgerTimeToleranceMs) expired.push(from)
    else withdrawn.push(from)
  }
  return { renewed, added: [...created.values()].flat(), expired, withdrawn }
}

/**
 * Sorts the entry with the latest expiry first. A renewal must expire later than the entry that it renews.
 * The missing entry with the latest expiry therefore has the fewest candidates, and must be paired first.
 */
function laterExpiryFirst(a: MirroredEntry, b: MirroredEntry): number {
  if (a.expires_at === b.expires_at) return 0
  return isLater(a.expires_at, b.expires_at) ? -1 : 1
}

/**
 * Whether two entries with the same contract id are equal. Contracts never change, so `continuityOf` treats a
 * different entry as a new contract.
 */
function isSameContract(a: MirroredEntry, b: MirroredEntry): boolean {
  return a.expires_at === b.expires_at && holdingOf(a) === holdingOf(b)
}

/** Returns a map key made of the fields that a renewal does not change. */
function holdingOf({ user, name, url, description }: MirroredEntry): string {
  return JSON.stringify([user, name, url, description])
}
