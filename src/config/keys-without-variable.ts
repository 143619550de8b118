import { anyRead, rows } from './rows.ts'

/**
 * Options without an environment variable, by the name that users may expect. For example,
 * `scanclientdeadline` (from `SCAN_CLIENT_DEADLINE`) leads to `scanClient.deadline`.
 */
const withoutVariable = new Map(
  rows.flatMap((row) => {
    if (row.at !== 'option' || row.env !== undefined || row.path.includes(anyRead)) return []
    const key = row.path.join('.')
    return [lettersOf(key), lettersOf(key.replace(/^scanClient\./, 'scan.'))].map(
      (word) => [word, key] as const,
    )
  }),
)

export function keyWithoutVariable(variable: string): string | undefined {
  return withoutVariable.get(lettersOf(variable))
}

function lettersOf(name: string): string {
  return name.replaceAll(/[._]/g, '').toLowerCase()
}
