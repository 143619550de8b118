import { laxityOf, type SignatureLaxity } from '../../base/receipt-format/strict-ed25519.ts'
import type { Ed25519Engine } from './ed25519-engine.ts'

export type SignatureCheck = 'valid' | SignatureLaxity

/**
 * Rejects first the signatures that `laxityOf` reports, because implementations of ed25519 disagree
 * on them.
 */
export async function checkSignature(
  key: Uint8Array<ArrayBuffer>,
  signature: Uint8Array<ArrayBuffer>,
  message: Uint8Array<ArrayBuffer>,
  engine: Ed25519Engine = webCryptoOrNoble,
): Promise<SignatureCheck> {
  const laxity = laxityOf(key, signature)
  if (laxity !== undefined) return laxity
  return (await engine(key, signature, message)) === true ? 'valid' : 'invalid'
}

const webCryptoOrNoble: Ed25519Engine = async (key, signature, message) =>
  (await verifyByWebCrypto(key, signature, message)) ??
  (await import('./ed25519.noble.ts')).verifyByNoble(key, signature, message)

/** Resolves with null if WebCrypto has no ed25519, as in browsers before 2025. */
export const verifyByWebCrypto: Ed25519Engine = async (key, signature, message) => {
  const { subtle } = crypto
  try {
    const imported = await subtle.importKey('raw', key, 'Ed25519', false, ['verify'])
    return await subtle.verify('Ed25519', imported, signature, message)
  } catch (error) {
    return (error as Error).name === 'NotSupportedError' ? null : false
  }
}
