import { Point, verifyAsync } from '@noble/ed25519'
import type { Ed25519Engine } from './ed25519-engine.ts'

/**
 * Verifies by `@noble/ed25519`. Verifying a signature means checking that two points of a curve are equal.
 * The library first multiplies both points by the cofactor, whereas WebCrypto of most runtimes does not. The
 * results can differ only for points outside the group of prime order, so this function rejects such points.
 */
export const verifyByNoble: Ed25519Engine = async (key, signature, message) => {
  try {
    const points = [key, signature.subarray(0, 32)].map((bytes) => Point.fromBytes(bytes))
    if (!points.every((point) => point.isTorsionFree())) return false
    return await verifyAsync(signature, message, key, { zip215: false })
  } catch {
    return false
  }
}
