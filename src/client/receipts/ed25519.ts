import type { Ed25519Engine } from './ed25519-engine.ts'

/**
 * Rejects first the signatures that `laxityOf` reports, because implementations of ed25519 disagree
 * on them.
 */
export async function checkSignature(
  key: Uint8Array<ArrayBuffer>,
  signature: Uint8Array<ArrayBuffer>,
  message: Uint8Array<ArrayBuffer>,
  engine: Ed25519Engine = webCryptoOrNoble,
): Promise<'valid' | SignatureLaxity> {
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

/**
 * The reason why a signature is rejected before it is verified:
 * - `invalid`: the signature has a wrong length.
 * - `weakKey`: the public key has a wrong length, is a point of small order, or is not in its
 *   canonical encoding.
 * - `malleable`: lax verifiers also accept variants of the signature. Its first half would be a weak
 *   key, or its second half is not below the group's order.
 */
type SignatureLaxity = 'invalid' | 'weakKey' | 'malleable'

/**
 * Returns why a signature must be rejected before it is verified; undefined if it may be verified.
 * Some libraries accept weak keys and malleable signatures, so this check makes all verifiers agree.
 */
function laxityOf(key: Uint8Array, signature: Uint8Array): SignatureLaxity | undefined {
  if (isWeakPoint(key)) return 'weakKey'
  if (signature.length !== 64) return 'invalid'
  const isMalleable = numberIn(signature.subarray(32)) >= groupOrder || isWeakPoint(signature.subarray(0, 32))
  return isMalleable ? 'malleable' : undefined
}

const prime = 2n ** 255n - 19n
const groupOrder = 2n ** 252n + 27742317777372353535851937790883648493n

const yOfOrder8 = 2707385501144840649318225287225658788936804267575313519463743609750303402022n

/**
 * The y coordinates of the points of small order: 1 (order 1), -1 (order 2), 0 (order 4), and two
 * of order 8.
 */
const weak: ReadonlySet<bigint> = new Set([0n, 1n, prime - 1n, yOfOrder8, prime - yOfOrder8])

function isWeakPoint(bytes: Uint8Array): boolean {
  if (bytes.length !== 32) return true
  const y = numberIn(bytes) & (2n ** 255n - 1n)
  return y >= prime || weak.has(y)
}

function numberIn(bytes: Uint8Array): bigint {
  return bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n)
}
