import { lookupQuestion } from './lookup-with-receipts.ts'
import type { ReceiptQuestion } from './saved-receipt.ts'

/** The paths by which daemons answer the same question about a name or a party. */
const bases = ['/api/scan/v0', '/v0/scan-proxy', '/api/validator/v0/scan-proxy', '/v0']

/** The question about a name or a party, by the path of a receipt if that is one of its paths. */
export function questionAbout(what: string, { path }: Pick<ReceiptQuestion, 'path'>): ReceiptQuestion {
  const asked = lookupQuestion(what)
  const paths = bases.map((base) => asked.path.replace('/api/scan/v0', () => base))
  return paths.includes(path) ? { ...asked, path } : asked
}
