import { anyRead, rows } from './rows.ts'

/**
 * Maps a name that users may expect for an environment variable to an option that no variable sets.
 * The names are in lower case, without `_`: `scanclientdeadline` (from `SCAN_CLIENT_DEADLINE`) leads
 * to `scanClient.deadline`.
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
