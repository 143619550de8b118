import { anyRead, rows } from './rows.ts'

/**
 * The options that have no environment variable, by the variable name that a user may expect. For example,
 * the key `scanclientdeadline` stands for `SCAN_CLIENT_DEADLINE`, and its value is `scanClient.deadline`.
 * Options that can be set for each read separately are left out.
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

/**
 * Returns the key of the option that the user seems to mean by this environment variable, if the option has no variable
 * at all. Otherwise returns undefined.
 */
export function keyWithoutVariable(variable: string): string | undefined {
  return withoutVariable.get(lettersOf(variable))
}

function lettersOf(name: string): string {
  return name.replaceAll(/[._]/g, '').toLowerCase()
}
