import { firstIndex } from '../lib/first-index.ts'
import type { MerkleTree } from '../lib/merkle-tree.ts'
import { compareCodePoints } from '../reads/code-points.ts'
import type { SetEntry } from './provable-set.ts'

/**
 * A leaf of the Merkle tree of names: the entry of one name, or all entries of that name, sorted by contract
 * id, if there are several.
 */
export type NameLeaf = SetEntry | readonly [SetEntry, SetEntry, ...SetEntry[]]

/** A leaf of the Merkle tree, with the hashes that lead from the leaf to the root. */
export interface ProvenLeaf {
  /** The canonical JSON of the leaf. */
  readonly text: string
  /** The hashes of the siblings on the way from the leaf to the root, one after another. */
  readonly path: Uint8Array
}

/** The proof that a name is in the tree: its leaf at the position `index`. */
export interface Inclusion extends ProvenLeaf {
  readonly index: number
}

/**
 * The proof that a name is not in the tree: the leaves of its two neighbours in the order of names. `index`
 * is the position of the right neighbour, or the number of leaves if there is no right neighbour.
 */
export interface Exclusion {
  readonly index: number
  /** The left neighbour; undefined if the name is before all names of the tree. */
  readonly left: ProvenLeaf | undefined
  /** The right neighbour; undefined if the name is after all names of the tree. */
  readonly right: ProvenLeaf | undefined
}

/**
 * The Merkle tree of the names of a set. The hashes take about 64 bytes a name. The leaves share the entry
 * objects of the set, and take no further memory.
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

  /** The root of the tree: SHA-256 in base64url. If there are no names, it is the hash of zero bytes. */
  get root(): string {
    return this.#hashes.root.toString('base64url')
  }

  /** Returns the proof that the tree has the name. Undefined if the tree lacks the name. */
  inclusion(name: string): Inclusion | undefined {
    const index = this.#at(name)
    return this.#nameAt(index) === name ? { index, ...(this.#proven(index) as ProvenLeaf) } : undefined
  }

  /** Returns the proof that the tree lacks the name. Undefined if the tree has the name. */
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

  /**
   * Returns the position of the first name that does not sort before `name`. If all names sort before it,
   * returns the number of names.
   */
  #at(name: string): number {
    return firstIndex(this.size, (index) => compareCodePoints(this.#nameAt(index) as string, name) >= 0)
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
