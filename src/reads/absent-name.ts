import { canonicalJson, type Json } from '../lib/canonical-json.ts'

/** The texts with which scans, and Splice's scan proxy, say that a name does not exist. */
export const absentNameTexts = {
  scan: 'No ans entry found for name: {name}',
  proxy: 'Did not find a AnsEntry with name {name}',
} as const

export function saysNameAbsent(body: Json, name: string): boolean {
  const said = canonicalJson(body)
  return Object.values(absentNameTexts).some(
    (text) => canonicalJson({ error: text.replace('{name}', () => name) }) === said,
  )
}
