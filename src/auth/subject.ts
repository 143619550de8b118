/** Splice puts the ledger user into this claim of a token. */
const splice = 'https://canton-network'

/** Returns the user id: `daml_user` in Splice's claim if it is there, else `sub`. */
export function subjectOf(claims: Readonly<Record<string, unknown>>): string | undefined {
  const own = claims[splice]
  const named = typeof own === 'object' && own !== null && Object.hasOwn(own, 'daml_user')
  const subject = named ? (own as { readonly daml_user: unknown }).daml_user : claims['sub']
  return typeof subject === 'string' && subject !== '' ? subject : undefined
}
