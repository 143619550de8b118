import { Point, verifyAsync } from '@noble/ed25519'
import type { Ed25519Engine } from './ed25519-engine.ts'

/**
 * Verifies by `@noble/ed25519`. Unlike WebCrypto of most runtimes, the library multiplies both sides by the cofactor.
 * This makes no difference for points in the group of prime order, so both points must be in it.
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
