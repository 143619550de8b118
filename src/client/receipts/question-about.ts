import { lookupQuestion } from './lookup-with-receipts.ts'
import { nameBases } from './name-question.ts'
import type { ReceiptQuestion } from './saved-receipt.ts'

/**
 * Returns the question about a name or a party. Daemons answer this question on several paths. If the receipt's path is
 * one of them, the returned question has that path.
 */
export function questionAbout(what: string, { path }: Pick<ReceiptQuestion, 'path'>): ReceiptQuestion {
  const asked = lookupQuestion(what)
  const paths = nameBases.map((base) => asked.path.replace('/api/scan/v0', () => base))
  return paths.includes(path) ? { ...asked, path } : asked
}
