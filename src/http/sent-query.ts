import { SpliceError } from '../errors/splice.ts'

export type SentQuery = Readonly<Record<string, readonly string[]>>

/**
 * Rejects unknown parameters: if the daemon ignored one, the operator would believe that it
 * applies.
 * @throws SpliceError `malformedQueryParameter`
 */
export function requireKnown(query: SentQuery, known: readonly string[], what: string): void {
  for (const name of Object.keys(query))
    if (!known.includes(name)) throw malformed(name, name, `name of a query parameter: ${what}`)
}

export function malformed(name: string, value: string, what: string): SpliceError {
  return new SpliceError('malformedQueryParameter', { name, value, what })
}
