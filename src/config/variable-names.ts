import { rows } from './rows.ts'

/** The names of the environment variables that set options. */
export const ownVariables: readonly string[] = rows.flatMap((row) =>
  row.at === 'option' && row.env !== undefined ? row.env : [],
)
