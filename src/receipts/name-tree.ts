import type { MerkleTree } from '../lib/merkle-tree.ts'
import { compareCodePoints } from '../reads/code-points.ts'
import type { SetEntry } from './provable-set.ts'

/** A name's entry in a set, or its several entries, sorted by contract id. */
export type NameLeaf = SetEntry | readonly [SetEntry, SetEntry, ...SetEntry[]]

/** A leaf with the hashes that lead from it to the root. */
export interface ProvenLeaf {
  /** The canonical JSON of the leaf. */
  readonly text: string
  /** The hashes of the siblings, from the leaf to the root, one after another. */
  readonly path: Uint8Array
}

/** Shows that a name's leaf is at the position `index`. */
export interface Inclusion extends ProvenLeaf {
  readonly index: number
}

/**
 * Shows that a name is missing: two neighbours between which it would lie. `index` is the position of the right one, or
 * the number of leaves if there is none.
 */
export interface Exclusion {
  readonly index: number
  /** Undefined if the name is before all others. */
  readonly left: ProvenLeaf | undefined
  /** Undefined if the name is after all others. */
  readonly right: ProvenLeaf | undefined
}

/**
 * The Merkle tree of the names of a set. Its hashes take about 64 bytes a name; the entries are the set's own objects.
 */
export class NameTree {
  /** The leaves, sorted by the code points of their names, which all differ. */
  readonly #leaves: readonly NameLeaf[]
  readonly #hashes: MerkleTree

  constructor(leaves: readonly NameLeaf[], hashes: MerkleTree) {
    this.#leaves = leaves
    this.#hashes = hashes
  }

  get size(): number {
    return this.#leaves.length
  }

  /** The root: SHA-256 in base64url. The hash of no bytes if there are no names. */
  get root(): string {
    return this.#hashes.root.toString('base64url')
  }

  /** Returns the proof that the set has the name. Undefined if it does not. */
  inclusion(name: string): Inclusion | undefined {
    const index = this.#at(name)
    return this.#nameAt(index) === name ? { index, ...(this.#proven(index) as ProvenLeaf) } : undefined
  }

  /** Returns the proof that the set lacks the name. Undefined if the set has it. */
  exclusion(name: string): Exclusion | undefined {
    const index = this.#at(name)
    if (this.#nameAt(index) === name) return undefined
    return { index, left: this.#proven(index - 1), right: this.#proven(index) }
  }

  #proven(index: number): ProvenLeaf | undefined {
    const leaf = this.#leaves[index]
    return leaf && { text: leafText(leaf), path: Buffer.concat(this.#hashes.pathOf(index)) }
  }

  #nameAt(index: number): string | undefined {
    const leaf = this.#leaves[index]
    return leaf && nameOf(leaf)
  }

  /** Returns the position of the first name that is not before this one, or the number of names if all are. */
  #at(name: string): number {
    let [low, high] = [0, this.#leaves.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (compareCodePoints(this.#nameAt(middle) as string, name) < 0) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** Returns the canonical JSON of a leaf: no spaces, and sorted keys. */
export function leafText(leaf: NameLeaf): string {
  return JSON.stringify(isSeveral(leaf) ? leaf.map(inKeyOrder) : inKeyOrder(leaf))
}

function nameOf(leaf: NameLeaf): string {
  return isSeveral(leaf) ? leaf[0].name : leaf.name
}

function isSeveral(leaf: NameLeaf): leaf is Exclude<NameLeaf, SetEntry> {
  return Array.isArray(leaf)
}

function inKeyOrder({ contract_id, description, expires_at, name, url, user }: SetEntry): SetEntry {
  return { contract_id, description, expires_at, name, url, user }
}
