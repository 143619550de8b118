import type { Agreement } from '../cache/agreement.ts'
import type { DsoMember } from './dso-member.ts'
import type { MirroredEntry } from './mirrored-entry.ts'

/** The entries of the name service in one snapshot. A quorum of super validators agreed on them. */
export interface AgreedSet {
  /** The record time of the snapshot: milliseconds since 1970. */
  readonly at: number
  readonly migrationId: number
  /** The SHA-256, in base64url, of a canonical JSON list of all drained contracts, sorted by contract id. */
  readonly digest: string
  readonly entries: readonly MirroredEntry[]
  readonly agreement: Agreement
  /**
   * The trust digest under which the set was agreed: a hash of the roster, operators, mode and thresholds.
   */
  readonly trustDigest: string
  readonly dso: string
  /**
   * The super validators that the snapshot's `DsoRules` contract lists. Undefined if the snapshot has no such
   * contract or several, or if the contract cannot be read.
   */
  readonly members: readonly DsoMember[] | undefined
}
