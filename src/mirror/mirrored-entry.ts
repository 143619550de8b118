import { canonicalInstant, isTime } from '../reads/instant.ts'
import { isParty } from '../reads/party.ts'
import type { SnapshotContract } from '../reads/snapshots.ts'

/**
 * An entry of the name service, in the form in which scans return it. `expires_at` is a UTC time as a scan writes it.
 */
export interface MirroredEntry {
  readonly contract_id: string
  readonly user: string
  readonly name: string
  readonly url: string
  readonly description: string
  readonly expires_at: string
}

/**
 * Converts an `AnsEntry` contract to the form in which scans return entries. A scan writes `expires_at` with as few
 * decimals as the time needs (`ISO_OFFSET_DATE_TIME` of Java, which circe uses), whatever decimals the contract's JSON
 * has.
 * @returns undefined if a field is missing or malformed.
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

/** Serializes an entry as scans do in the answer to `/v0/ans-entries/by-name/{name}`. */
export function entryBody(entry: MirroredEntry): string {
  return JSON.stringify({ entry: inOrder(entry) })
}

/** Serializes entries as scans do in the answer to `/v0/ans-entries`. */
export function entriesBody(entries: readonly MirroredEntry[]): string {
  return JSON.stringify({ entries: entries.map(inOrder) })
}

/** Returns the entry with its members in the order in which scans write them. */
function inOrder({ contract_id, user, name, url, description, expires_at }: MirroredEntry): MirroredEntry {
  return { contract_id, user, name, url, description, expires_at }
}

/** Returns the expiry of an entry: milliseconds since 1970. Digits below a millisecond are cut off. */
export function expiryOf({ expires_at }: Pick<MirroredEntry, 'expires_at'>): number {
  return Date.parse(expires_at)
}

/**
 * Whether scans still return the entry at a time in milliseconds since 1970. At the exact moment of its expiry, an
 * entry is still valid.
 */
export function isUnexpired(entry: Pick<MirroredEntry, 'expires_at'>, at: number): boolean {
  return expiryOf(entry) >= at
}

/**
 * Returns the names that several unexpired entries have. The ledger does not prevent that, because it has no key for
 * names, and scans may then return different entries of one name.
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
