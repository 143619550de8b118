import { parseJson } from '../../lib/canonical-json.ts'
import { boundedFetch, type ReceiptAsk } from './ask-for-receipt.ts'
import { keysIn, type ReceiptJwk } from './pins.ts'

const directoryPath = '/.well-known/http-message-signatures-directory'

/**
 * Fetches the public keys that a daemon publishes. They do not prove the daemon's identity, because any
 * server can publish any keys. Returns an empty list if the fetch fails.
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
