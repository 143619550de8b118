import { lookupQuestion } from './lookup-with-receipts.ts'
import { nameBases } from './name-question.ts'
import type { ReceiptQuestion } from './saved-receipt.ts'

/**
 * Returns the question that looks up a name or a party. Daemons serve it on several paths; if the
 * receipt has one of them, the question has the receipt's path.
 */
export function questionAbout(what: string, { path }: Pick<ReceiptQuestion, 'path'>): ReceiptQuestion {
  const asked = lookupQuestion(what)
  const paths = nameBases.map((base) => asked.path.replace('/api/scan/v0', () => base))
  return paths.includes(path) ? { ...asked, path } : asked
}
