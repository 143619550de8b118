import type { Ed25519Engine } from './ed25519-engine.ts'

/** `weakKey` and `malleable` are signatures that some libraries take and others reject. */
export type SignatureCheck = 'valid' | 'invalid' | 'weakKey' | 'malleable'

/**
 * Verifies an ed25519 signature as strictly as RFC 8032 allows: no point of small order, no point in a second encoding, and
 * no S beyond the group's order. Some runtimes take these, and whoever makes them could show one receipt to two verifiers
 * with two outcomes.
 */
export async function checkSignature(
  key: Uint8Array<ArrayBuffer>,
  signature: Uint8Array<ArrayBuffer>,
  message: Uint8Array<ArrayBuffer>,
  engine: Ed25519Engine = webCryptoOrNoble,
): Promise<SignatureCheck> {
  if (isWeakPoint(key)) return 'weakKey'
  if (signature.length !== 64) return 'invalid'
  if (numberIn(signature.subarray(32)) >= groupOrder || isWeakPoint(signature.subarray(0, 32)))
    return 'malleable'
  return (await engine(key, signature, message)) ? 'valid' : 'invalid'
}

const prime = 2n ** 255n - 19n
const groupOrder = 2n ** 252n + 27742317777372353535851937790883648493n

const yOfOrder8 = 2707385501144840649318225287225658788936804267575313519463743609750303402022n

/** The y of each point of small order: 0 and the two of order 8, 1 and -1. */
const weak: ReadonlySet<bigint> = new Set([0n, 1n, prime - 1n, yOfOrder8, prime - yOfOrder8])

/** Whether 32 bytes are a point of small order, or a point with a second encoding. */
function isWeakPoint(bytes: Uint8Array): boolean {
  if (bytes.length !== 32) return true
  const y = numberIn(bytes) & (2n ** 255n - 1n)
  return y >= prime || weak.has(y)
}

/** The number in bytes whose first one is the least significant. */
function numberIn(bytes: Uint8Array): bigint {
  return bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n)
}

/** Verifies by WebCrypto, and by `@noble/ed25519` where WebCrypto has no ed25519. */
const webCryptoOrNoble: Ed25519Engine = async (key, signature, message) =>
  (await verifyByWebCrypto(key, signature, message)) ??
  (await import('./ed25519.noble.ts')).verifyByNoble(key, signature, message)

/** Returns null if the runtime's WebCrypto has no ed25519, as in browsers before 2025. */
export const verifyByWebCrypto: Ed25519Engine = async (key, signature, message) => {
  const { subtle } = crypto
  try {
    const imported = await subtle.importKey('raw', key, 'Ed25519', false, ['verify'])
    return await subtle.verify('Ed25519', imported, signature, message)
  } catch (error) {
    return (error as Error).name === 'NotSupportedError' ? null : false
  }
}
