import { lookupQuestion } from './lookup-with-receipts.ts'
import { nameBases } from './name-question.ts'
import type { ReceiptQuestion } from './saved-receipt.ts'

/** The question about a name or a party, by the path of a receipt if that is one of its paths. */
export function questionAbout(what: string, { path }: Pick<ReceiptQuestion, 'path'>): ReceiptQuestion {
  const asked = lookupQuestion(what)
  const paths = nameBases.map((base) => asked.path.replace('/api/scan/v0', () => base))
  return paths.includes(path) ? { ...asked, path } : asked
}
