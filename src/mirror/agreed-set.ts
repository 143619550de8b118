import type { Agreement } from '../core/cache/agreement.ts'
import type { DsoMember, MirroredEntry } from './mirrored-contracts.ts'

/**
 * The entries of the name service in one snapshot, which is the state of the ledger at one record
 * time. A quorum of super validators agreed on the entries.
 */
export interface AgreedSet {
  readonly at: number
  readonly migrationId: number
  /** The SHA-256, in base64url, of the canonical JSON of all rows (`rowOf`), sorted by contract id. */
  readonly digest: string
  readonly entries: readonly MirroredEntry[]
  readonly agreement: Agreement
  /**
   * A hash of the super validators, operators, mode and thresholds under which the set was agreed.
   */
  readonly trustDigest: string
  readonly dso: string
  /**
   * The super validators that the `DsoRules` contract lists. Undefined if the snapshot has no such
   * contract, several of them, or one that cannot be read.
   */
  readonly members: readonly DsoMember[] | undefined
}
