import { parseJson } from '../../lib/canonical-json.ts'
import { boundedFetch, type ReceiptAsk } from './ask-for-receipt.ts'
import { keysIn, type ReceiptJwk } from './pins.ts'

const directoryPath = '/.well-known/http-message-signatures-directory'

/**
 * Fetches the keys that a daemon lists. They are no proof of its identity, because any server can list any keys.
 * Returns no keys if the fetch fails.
 */
export async function listedKeys(
  ask: Pick<ReceiptAsk, 'base' | 'timeoutMs' | 'signal'>,
): Promise<readonly ReceiptJwk[]> {
  try {
    const { body } = await boundedFetch(ask, directoryPath)
    return keysIn(parseJson(body))
  } catch {
    return []
  }
}
