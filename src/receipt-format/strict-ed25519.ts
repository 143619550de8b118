/**
 * The reason why a signature is rejected before it is verified. `weakKey` and `malleable` are signatures that some
 * libraries accept and others reject; `invalid` is one of a wrong length.
 */
export type SignatureLaxity = 'invalid' | 'weakKey' | 'malleable'

/**
 * Finds what some libraries accept and others reject: a point of small order, a point in a second encoding, and an S
 * beyond the group's order. Two verifiers could judge such a signature differently. Undefined if the signature has none
 * of it.
 */
export function laxityOf(key: Uint8Array, signature: Uint8Array): SignatureLaxity | undefined {
  if (isWeakPoint(key)) return 'weakKey'
  if (signature.length !== 64) return 'invalid'
  const isMalleable = numberIn(signature.subarray(32)) >= groupOrder || isWeakPoint(signature.subarray(0, 32))
  return isMalleable ? 'malleable' : undefined
}

const prime = 2n ** 255n - 19n
const groupOrder = 2n ** 252n + 27742317777372353535851937790883648493n

const yOfOrder8 = 2707385501144840649318225287225658788936804267575313519463743609750303402022n

/** The y of each point of small order: 1 (order 1), -1 (order 2), 0 (order 4), and two of order 8. */
const weak: ReadonlySet<bigint> = new Set([0n, 1n, prime - 1n, yOfOrder8, prime - yOfOrder8])

/** Whether the bytes are a point of small order or in a second encoding, or are not 32 bytes. */
function isWeakPoint(bytes: Uint8Array): boolean {
  if (bytes.length !== 32) return true
  const y = numberIn(bytes) & (2n ** 255n - 1n)
  return y >= prime || weak.has(y)
}

/** Reads a number from bytes, of which the first is the least significant. */
function numberIn(bytes: Uint8Array): bigint {
  return bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n)
}
