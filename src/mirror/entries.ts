import { canonicalInstant, isTime } from '../reads/instant.ts'
import { isParty } from '../reads/party.ts'
import type { SnapshotContract } from '../reads/snapshots.ts'
import type { MirroredEntry } from './entry.ts'

/**
 * Returns the entry that scans make of an `AnsEntry` contract. A scan writes `expires_at` with as few decimals as the
 * time needs (`ISO_OFFSET_DATE_TIME` of Java, which circe uses), whatever decimals the contract's JSON has.
 * @returns undefined if the contract lacks a field, or if a field is of another type.
 */
export function entryIn({
  contract_id,
  create_arguments: fields,
}: Pick<SnapshotContract, 'contract_id' | 'create_arguments'>): MirroredEntry | undefined {
  const { user, name, url, description, expiresAt } = fields
  if (typeof user !== 'string' || !isParty(user) || typeof name !== 'string') return undefined
  if (typeof url !== 'string' || typeof description !== 'string') return undefined
  if (typeof expiresAt !== 'string' || !isTime(expiresAt)) return undefined
  const expires_at = canonicalInstant(expiresAt)
  if (expires_at === undefined) return undefined
  return { contract_id, user, name, url, description, expires_at }
}

/** Serializes an entry as scans answer `/v0/ans-entries/by-name/{name}`: in the order of the row's schema. */
export function entryBody(entry: MirroredEntry): string {
  return JSON.stringify({ entry: inOrder(entry) })
}

/** Serializes entries as scans answer `/v0/ans-entries`. */
export function entriesBody(entries: readonly MirroredEntry[]): string {
  return JSON.stringify({ entries: entries.map(inOrder) })
}

/** Returns the entry with its members in the order in which scans write them. */
function inOrder({ contract_id, user, name, url, description, expires_at }: MirroredEntry): MirroredEntry {
  return { contract_id, user, name, url, description, expires_at }
}

/** Returns when an entry expires: milliseconds since 1970. Digits below a millisecond are cut off. */
export function expiryOf({ expires_at }: Pick<MirroredEntry, 'expires_at'>): number {
  return Date.parse(expires_at)
}

/** Whether scans still answer with the entry at a time. An entry is valid at the exact moment of its expiry. */
export function isUnexpired(entry: Pick<MirroredEntry, 'expires_at'>, at: number): boolean {
  return expiryOf(entry) >= at
}

/**
 * Returns the names of several unexpired entries. The ledger has no key for names, and each scan may answer with
 * another of these entries.
 * @param at milliseconds since 1970.
 */
export function ambiguousNames(entries: Iterable<MirroredEntry>, at: number): ReadonlySet<string> {
  const seen = new Set<string>()
  const ambiguous = new Set<string>()
  for (const entry of entries) {
    if (!isUnexpired(entry, at)) continue
    if (seen.has(entry.name)) ambiguous.add(entry.name)
    seen.add(entry.name)
  }
  return ambiguous
}
