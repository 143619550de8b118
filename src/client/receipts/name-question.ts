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

const byName = '/ans-entries/by-name/'

export function nameIn({ method, path }: ReceiptQuestion): string | undefined {
  const base = nameBases.find((one) => path.startsWith(`${one}${byName}`))
  if (method !== 'GET' || base === undefined) return undefined
  const segment = path.slice(base.length + byName.length)
  if (segment === '' || /[/?]/.test(segment)) return undefined
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}
