import { rows } from './rows.ts'

export const ownVariables: readonly string[] = rows.flatMap((row) =>
  row.at === 'option' && row.env !== undefined ? row.env : [],
)
