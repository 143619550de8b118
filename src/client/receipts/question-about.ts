import { lookupQuestion } from './lookup-with-receipts.ts'
import { nameBases } from './name-question.ts'
import type { ReceiptQuestion } from './saved-receipt.ts'

/**
 * Returns the question about a name or a party. Several paths ask it: takes that of the receipt if it is one of them.
 */
export function questionAbout(what: string, { path }: Pick<ReceiptQuestion, 'path'>): ReceiptQuestion {
  const asked = lookupQuestion(what)
  const paths = nameBases.map((base) => asked.path.replace('/api/scan/v0', () => base))
  return paths.includes(path) ? { ...asked, path } : asked
}
