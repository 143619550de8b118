import { hash } from 'node:crypto'

const hashBytes = 32
const portion = 512

/** A Merkle tree over texts (RFC 9162, 2.1). */
export class MerkleTree {
  readonly #levels: readonly Uint8Array[]

  private constructor(levels: readonly Uint8Array[]) {
    this.#levels = levels
  }

  static of(texts: readonly string[]): MerkleTree {
    const growing = MerkleTree.grow(texts.length, (index) => texts[index] as string)
    for (;;) {
      const { done, value } = growing.next()
      if (done === true) return value
    }
  }

  /**
   * Builds the tree in steps of less than a millisecond, so that a large tree need not block the
   * event loop.
   */
  static *grow(count: number, textAt: (index: number) => string): Generator<void, MerkleTree> {
    const levels: Uint8Array[] = []
    if (count > 0) levels.push(yield* leafHashes(count, textAt))
    for (let level = levels[0]; level !== undefined && level.length > hashBytes; level = levels.at(-1))
      levels.push(yield* nodesOver(level))
    return new MerkleTree(levels)
  }

  get root(): Buffer {
    const top = this.#levels.at(-1)
    return top === undefined ? hash('sha256', '', 'buffer') : Buffer.from(top)
  }

  /**
   * Returns the proof that a leaf is in the tree (RFC 9162, 2.1.3.1): the sibling hashes from the
   * leaf upwards.
   */
  pathOf(index: number): readonly Uint8Array[] {
    const siblings: Uint8Array[] = []
    for (const [height, level] of this.#levels.entries()) {
      const start = ((index >>> height) ^ 1) * hashBytes
      // The last node of a level may have no sibling. The level then adds nothing to the proof,
      // because the next level has a copy of that node.
      if (start < level.length) siblings.push(level.subarray(start, start + hashBytes))
    }
    return siblings
  }
}

function* leafHashes(count: number, textAt: (index: number) => string): Generator<void, Uint8Array> {
  const level = new Uint8Array(count * hashBytes)
  for (let index = 0; index < count; index++) {
    level.set(hash('sha256', `\0${textAt(index)}`, 'buffer'), index * hashBytes)
    if (index % portion === 0) yield
  }
  return level
}

function* nodesOver(level: Uint8Array): Generator<void, Uint8Array> {
  const count = level.length / hashBytes
  const above = new Uint8Array(Math.ceil(count / 2) * hashBytes)
  const both = new Uint8Array(1 + 2 * hashBytes)
  both[0] = 1
  for (let index = 0; index < count; index += 2) {
    const start = index * hashBytes
    const isPair = index + 1 < count
    if (isPair) both.set(level.subarray(start, start + 2 * hashBytes), 1)
    const node = isPair ? hash('sha256', both, 'buffer') : level.subarray(start)
    above.set(node, (index / 2) * hashBytes)
    if (index % (2 * portion) === 0) yield
  }
  return above
}
