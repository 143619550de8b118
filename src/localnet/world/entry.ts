/** An entry in the schema `AnsEntry` of Splice's scan.yaml, with the keys in Splice's order. */
export interface AnsEntry {
  readonly contract_id: string | null
  readonly user: string
  readonly name: string
  readonly url: string
  readonly description: string
  readonly expires_at: string | null
}

/**
 * The entry that Splice makes up for the DSO or a super validator, without a contract and without
 * an expiry.
 */
export function syntheticEntry(name: string, user: string): AnsEntry {
  return { contract_id: null, user, name, url: '', description: '', expires_at: null }
}
