import { wholeWork } from '../base/lib/in-portions.ts'
import { isLater } from '../core/reads/instant.ts'
import type { MirroredEntry } from './mirrored-contracts.ts'

/** Milliseconds since 1970. Digits below a millisecond are cut off. */
export function expiryOf({ expires_at }: Pick<MirroredEntry, 'expires_at'>): number {
  return Date.parse(expires_at)
}

/** `to` continues `from` with the same owner, name, url and description, and a later expiry. */
export interface Renewal {
  readonly from: MirroredEntry
  readonly to: MirroredEntry
}

export interface Continuity {
  readonly kept: readonly MirroredEntry[]
  readonly renewed: readonly Renewal[]
  readonly added: readonly MirroredEntry[]
  readonly expired: readonly MirroredEntry[]
  /** These entries disappeared before their expiry, which no workflow of the DSO causes. */
  readonly withdrawn: readonly MirroredEntry[]
}

/**
 * Canton's `ledgerTimeRecordTimeTolerance`: a transaction's ledger time may be this far ahead of
 * its record time.
 * The ledger may therefore archive an entry this long before the record time reaches the entry's
 * expiry.
 */
const ledgerTimeToleranceMs = 60_000

/** The largest number of unexpired entries of the present set that a new set may lack. */
const mostWithdrawn = 1

export function* continuityIn(
  before: readonly MirroredEntry[],
  after: readonly MirroredEntry[],
  at: number,
): Generator<void, Continuity> {
  const earlier = new Map<string, MirroredEntry>()
  for (const entry of before) {
    earlier.set(entry.contract_id, entry)
    yield
  }
  const kept: MirroredEntry[] = []
  const created = new Map<string, MirroredEntry[]>()
  for (const entry of after) {
    const known = earlier.get(entry.contract_id)
    if (known !== undefined && isSameContract(known, entry)) {
      kept.push(entry)
      earlier.delete(entry.contract_id)
    } else created.set(keyKeptByRenewal(entry), [...(created.get(keyKeptByRenewal(entry)) ?? []), entry])
    yield
  }
  return { kept, ...successors([...earlier.values()], created, at) }
}

export function continuityOf(...[before, after, at]: Parameters<typeof continuityIn>): Continuity {
  return wholeWork(continuityIn(before, after, at))
}

export function isContinuous({ withdrawn }: Continuity): boolean {
  return withdrawn.length <= mostWithdrawn
}

function successors(
  missing: readonly MirroredEntry[],
  created: ReadonlyMap<string, MirroredEntry[]>,
  at: number,
): Omit<Continuity, 'kept'> {
  const renewed: Renewal[] = []
  const expired: MirroredEntry[] = []
  const withdrawn: MirroredEntry[] = []
  for (const from of missing.toSorted(laterExpiryFirst)) {
    const candidates = created.get(keyKeptByRenewal(from)) ?? []
    const place = candidates.findIndex((to) => isLater(to.expires_at, from.expires_at))
    if (place !== -1) renewed.push({ from, to: candidates.splice(place, 1)[0] as MirroredEntry })
    else if (expiryOf(from) < at + ledgerTimeToleranceMs) expired.push(from)
    else withdrawn.push(from)
  }
  return { renewed, added: [...created.values()].flat(), expired, withdrawn }
}

/**
 * Sorts missing entries by expiry, latest first. A missing entry with a later expiry has fewer
 * possible renewals, so it must be paired with its renewal first.
 */
function laterExpiryFirst(a: MirroredEntry, b: MirroredEntry): number {
  if (a.expires_at === b.expires_at) return 0
  return isLater(a.expires_at, b.expires_at) ? -1 : 1
}

/**
 * Compares the fields of two entries with the same contract id. Contracts never change, so an entry
 * with different fields counts as a new contract.
 */
function isSameContract(a: MirroredEntry, b: MirroredEntry): boolean {
  return a.expires_at === b.expires_at && keyKeptByRenewal(a) === keyKeptByRenewal(b)
}

function keyKeptByRenewal({ user, name, url, description }: MirroredEntry): string {
  return JSON.stringify([user, name, url, description])
}

/**
 * The relation of a later entry to the earlier entry of the same name.
 * - `same`: the same contract with the same expiry.
 * - `renewed`: the same owner, url and description, with a later expiry.
 * - `older`: the same owner, url and description, but another contract that does not expire later,
 *   or the same contract with an earlier expiry.
 * - `other`: another owner, url or description, which the ledger forbids before the earlier entry
 *   expires.
 */
export type EntryChange = 'same' | 'renewed' | 'older' | 'other'

export function compareEntries(before: MirroredEntry, after: MirroredEntry): EntryChange {
  const isAlike =
    before.user === after.user && before.url === after.url && before.description === after.description
  if (!isAlike) return 'other'
  if (isLater(after.expires_at, before.expires_at)) return 'renewed'
  const isSame = before.contract_id === after.contract_id && !isLater(before.expires_at, after.expires_at)
  return isSame ? 'same' : 'older'
}
