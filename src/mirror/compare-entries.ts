import { isLater } from '../reads/instant.ts'
import type { MirroredEntry } from './entry.ts'

/**
 * The relation of an entry to an earlier one of its name.
 * - `same`: the same contract.
 * - `renewed`: the same owner, url and description, and a later expiry.
 * - `older`: the same owner, url and description, and no later expiry.
 * - `other`: another owner, url or description. The earlier entry did not allow that before it expired.
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
