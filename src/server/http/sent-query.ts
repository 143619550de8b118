import { SpliceError } from '../../base/errors/splice.ts'

export type SentQuery = Readonly<Record<string, readonly string[]>>

const longestName = 100

/**
 * Rejects unknown parameters: if the daemon ignored one, the caller would believe that it applies.
 * @throws SpliceError `malformedQueryParameter`
 */
export function requireKnown(query: SentQuery, known: readonly string[], what: string): void {
  const unknown = Object.keys(query).find((name) => !known.includes(name))
  if (unknown === undefined) return
  const name = unknown.slice(0, longestName)
  throw malformed(name, name, `name of a query parameter: ${what}`)
}

export function malformed(name: string, value: string, what: string): SpliceError {
  return new SpliceError('malformedQueryParameter', { name, value, what })
}
