import { isLater } from '../reads/instant.ts'
import type { MirroredEntry } from '../reads/mirrored-entry.ts'

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
