import { Point, verifyAsync } from '@noble/ed25519'
import type { Ed25519Engine } from './ed25519-engine.ts'

/**
 * Rejects points outside the group of prime order. Only for such points can `@noble/ed25519` and
 * WebCrypto disagree, because `@noble/ed25519` multiplies both sides of the equation by the
 * cofactor.
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
