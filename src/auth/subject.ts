/** The claim of a token in which Splice puts the ledger user, in addition to the standard claims. */
const splice = 'https://canton-network'

/**
 * Returns the user id in a token: `daml_user` in the claim `https://canton-network` if the claim has it, else
 * the claim `sub`. Undefined if the user id is absent, empty or not a string.
 */
export function subjectOf(claims: Readonly<Record<string, unknown>>): string | undefined {
  const own = claims[splice]
  const named = typeof own === 'object' && own !== null && Object.hasOwn(own, 'daml_user')
  const subject = named ? (own as { readonly daml_user: unknown }).daml_user : claims['sub']
  return typeof subject === 'string' && subject !== '' ? subject : undefined
}
