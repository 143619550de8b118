import { isJsonObject, type Json, parseJson } from '../../lib/canonical-json.ts'
import { boundedFetch, type ReceiptAsk } from './ask-for-receipt.ts'
import type { ReceiptJwk } from './pins.ts'

const directoryPath = '/.well-known/http-message-signatures-directory'

/** Finds the keys of Ed25519 in a JWK, or in a JWK set such as the key directory of a daemon. */
export function keysIn(value: Json): readonly ReceiptJwk[] {
  const keys: readonly unknown[] =
    isJsonObject(value) && Array.isArray(value['keys']) ? value['keys'] : [value]
  return keys.filter(isEd25519).map(({ kty, crv, x }) => ({ kty, crv, x }))
}

function isEd25519(key: unknown): key is ReceiptJwk {
  return isJsonObject(key) && key['kty'] === 'OKP' && key['crv'] === 'Ed25519' && typeof key['x'] === 'string'
}

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
