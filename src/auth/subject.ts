/** Where Splice puts the ledger user beside the standard claims. */
const splice = 'https://canton-network'

/**
 * The user that a token speaks for: `daml_user` of the claim `https://canton-network` where that is present, else
 * `sub`. Undefined where there is none, or one that is no text.
 */
export function subjectOf(claims: Readonly<Record<string, unknown>>): string | undefined {
  const own = claims[splice]
  const named = typeof own === 'object' && own !== null && Object.hasOwn(own, 'daml_user')
  const subject = named ? (own as { readonly daml_user: unknown }).daml_user : claims['sub']
  return typeof subject === 'string' && subject !== '' ? subject : undefined
}
