import { anyRead, rows } from './rows.ts'

/**
 * The keys of options that no environment variable sets, by the letters of the variable that a user may
 * expect.
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
 * Returns the key of the option that this environment variable seems to be meant for, if no variable sets
 * that option.
 */
export function keyWithoutVariable(variable: string): string | undefined {
  return withoutVariable.get(lettersOf(variable))
}

function lettersOf(name: string): string {
  return name.replaceAll(/[._]/g, '').toLowerCase()
}
