import { createHash } from 'node:crypto'

/** Computes the root of the Merkle tree over these leaves (RFC 9162, 2.1.1). */
export function rootOf(leaves: readonly string[]): Buffer {
  const { length } = leaves
  if (length === 0) return hashOf()
  if (length === 1) return hashOf(leafPrefix, Buffer.from(leaves[0] as string))
  const half = largestPowerBelow(length)
  return hashOf(nodePrefix, rootOf(leaves.slice(0, half)), rootOf(leaves.slice(half)))
}

/** Returns the hashes that lead from one leaf to the root, the lowest first (RFC 9162, 2.1.3.1). */
export function inclusionProof(leaves: readonly string[], index: number): readonly Buffer[] {
  const { length } = leaves
  if (length <= 1) return []
  const half = largestPowerBelow(length)
  const [left, right] = [leaves.slice(0, half), leaves.slice(half)]
  return index < half
    ? [...inclusionProof(left, index), rootOf(right)]
    : [...inclusionProof(right, index - half), rootOf(left)]
}

const leafPrefix = Buffer.of(0)
const nodePrefix = Buffer.of(1)

function hashOf(...parts: readonly Uint8Array[]): Buffer {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/** The largest power of two that is smaller than a number above 1. */
function largestPowerBelow(count: number): number {
  return 2 ** (31 - Math.clz32(count - 1))
}
