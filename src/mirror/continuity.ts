import { isLater } from '../reads/instant.ts'
import { expiryOf } from './entries.ts'
import type { MirroredEntry } from './entry.ts'

/** An entry and its successor with the same owner, name, url and description, and a later expiry. */
export interface Renewal {
  readonly from: MirroredEntry
  readonly to: MirroredEntry
}

/** The relation of some entries to earlier ones. Every earlier entry is kept, renewed, expired or withdrawn. */
export interface Continuity {
  /** The same contract is among both. */
  readonly kept: readonly MirroredEntry[]
  readonly renewed: readonly Renewal[]
  /** New entries that renew none. */
  readonly added: readonly MirroredEntry[]
  readonly expired: readonly MirroredEntry[]
  /** Gone before the expiry, which no workflow of the DSO does. */
  readonly withdrawn: readonly MirroredEntry[]
}

/**
 * The ledger time of a transaction may be this many milliseconds ahead of its record time (Canton's
 * `ledgerTimeRecordTimeTolerance`). So an entry may be gone from a snapshot although it expires shortly after.
 */
const ledgerTimeToleranceMs = 60_000

/** More withdrawn entries than this in one step make the later set unusable. */
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

/** Whether the later set may replace the earlier one. */
export function isContinuous({ withdrawn }: Continuity): boolean {
  return withdrawn.length <= mostWithdrawn
}

/** Pairs missing entries with new ones. Each new entry renews at most one. */
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

/** The entry with the latest expiry has the fewest possible successors, so it is paired first. */
function laterExpiryFirst(a: MirroredEntry, b: MirroredEntry): number {
  if (a.expires_at === b.expires_at) return 0
  return isLater(a.expires_at, b.expires_at) ? -1 : 1
}

/** Whether two entries with one contract id are equal. If they differ, the later one counts as a new contract. */
function isSameContract(a: MirroredEntry, b: MirroredEntry): boolean {
  return a.expires_at === b.expires_at && holdingOf(a) === holdingOf(b)
}

/** The members that a renewal leaves as they are. */
function holdingOf({ user, name, url, description }: MirroredEntry): string {
  return JSON.stringify([user, name, url, description])
}
