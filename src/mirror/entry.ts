/** A name of the mirror, in the form of Splice's `AnsEntry`. Its expiry is a UTC time as a scan writes it. */
export interface MirroredEntry {
  readonly contract_id: string
  readonly user: string
  readonly name: string
  readonly url: string
  readonly description: string
  readonly expires_at: string
}
