import type { Agreement } from '../cache/agreement.ts'
import type { DsoMember } from './dso-member.ts'
import type { MirroredEntry } from './mirrored-entry.ts'

/** The entries of one snapshot, on which a quorum of super validators agreed. */
export interface AgreedSet {
  /** The grid instant of the snapshot: milliseconds since 1970. */
  readonly at: number
  readonly migrationId: number
  /** SHA-256 of the canonical JSON of all contracts that were drained, sorted by contract id; base64url. */
  readonly digest: string
  readonly entries: readonly MirroredEntry[]
  readonly agreement: Agreement
  /** The trust digest under which the set was agreed: a hash of the roster, operators, mode and thresholds. */
  readonly trustDigest: string
  readonly dso: string
  /** The super validators in the `DsoRules` contract of the snapshot; undefined if they cannot be read. */
  readonly members: readonly DsoMember[] | undefined
}
