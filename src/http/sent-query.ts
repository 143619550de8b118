import { SpliceError } from '../errors/splice.ts'

/** The query of a request: each parameter's name, with all its values. */
export type SentQuery = Readonly<Record<string, readonly string[]>>

/**
 * Checks that each query parameter is in `known`. If the daemon ignored an unknown parameter, the operator
 * would believe that the parameter applies.
 * @param what the end of the error message: the known names, or that there are none.
 * @throws SpliceError `malformedQueryParameter`
 */
export function requireKnown(query: SentQuery, known: readonly string[], what: string): void {
  for (const name of Object.keys(query))
    if (!known.includes(name)) throw malformed(name, name, `name of a query parameter: ${what}`)
}

export function malformed(name: string, value: string, what: string): SpliceError {
  return new SpliceError('malformedQueryParameter', { name, value, what })
}
