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
