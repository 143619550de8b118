import type { ReceiptQuestion } from './saved-receipt.ts'

/**
 * The path prefixes under which daemons serve lookups of a name or a party, all with the same
 * answer.
 */
export const nameBases: readonly string[] = [
  '/api/scan/v0',
  '/v0/scan-proxy',
  '/api/validator/v0/scan-proxy',
  '/v0',
]

/** Returns the name or the party that a question looks up; neither for other questions. */
export function askedIn({ method, path }: ReceiptQuestion): { readonly [By in 'name' | 'party']?: string } {
  const base = nameBases.find((one) => path.startsWith(`${one}/ans-entries/by-`)) ?? ''
  const [, by, segment] = /^\/ans-entries\/by-(name|party)\/([^/?]+)$/.exec(path.slice(base.length)) ?? []
  if (method !== 'GET' || base === '' || by === undefined || segment === undefined) return {}
  try {
    return { [by]: decodeURIComponent(segment) }
  } catch {
    return {}
  }
}
