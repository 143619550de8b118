/**
 * An entry as in the schema `AnsEntry` of Splice's scan.yaml, with the keys in Splice's order. In the entries
 * of the DSO and of super validators, `contract_id` and `expires_at` are null.
 */
export interface AnsEntry {
  readonly contract_id: string | null
  readonly user: string
  readonly name: string
  readonly url: string
  readonly description: string
  readonly expires_at: string | null
}

/**
 * Returns the entry that Splice makes up for the DSO or for a super validator. It has no contract and never
 * expires.
 */
export function syntheticEntry(name: string, user: string): AnsEntry {
  return { contract_id: null, user, name, url: '', description: '', expires_at: null }
}
