import { parseJson } from '../../lib/canonical-json.ts'
import { boundedFetch, type ReceiptAsk } from './ask-for-receipt.ts'
import { keysIn, type ReceiptJwk } from './pins.ts'

const directoryPath = '/.well-known/http-message-signatures-directory'

/**
 * Fetches the public keys that a daemon publishes; an empty list if that fails. The keys do not
 * prove who the daemon is, because any server can publish any keys.
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
