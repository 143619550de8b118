import { canonicalJson, type Json } from '../lib/canonical-json.ts'

/** The texts by which scans, and Splice's scan proxy, say that there is no such name. */
export const absentNameTexts = {
  scan: 'No ans entry found for name: {name}',
  proxy: 'Did not find a AnsEntry with name {name}',
} as const

/** Whether a body says only that there is no entry with this name. */
export function saysNameAbsent(body: Json, name: string): boolean {
  const said = canonicalJson(body)
  return Object.values(absentNameTexts).some(
    (text) => canonicalJson({ error: text.replace('{name}', () => name) }) === said,
  )
}
