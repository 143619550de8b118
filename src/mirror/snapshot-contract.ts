import type { Json } from '../lib/canonical-json.ts'

/** A contract of a snapshot, as a scan's `POST /v1/state/acs` prints it. */
export interface SnapshotContract {
  readonly created_in_update_id: string | null
  readonly contract_id: string
  readonly template_id: string
  readonly package_name: string
  readonly create_arguments: { readonly [key: string]: Json }
  readonly created_at: string
  readonly signatories: readonly string[]
  readonly observers: readonly string[]
}
