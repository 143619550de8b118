import type { Agreement } from '../cache/agreement.ts'

export interface SetEntry {
  readonly contract_id: string
  readonly user: string
  readonly name: string
  readonly url: string
  readonly description: string
  readonly expires_at: string
}

/** The names of one snapshot, on which a quorum of super validators agreed. */
export interface ProvableSet {
  /** The time of the snapshot: milliseconds since 1970. */
  readonly at: number
  readonly migrationId: number
  readonly entries: readonly SetEntry[]
  readonly agreement: Agreement
}
