import { firstIndex } from '../lib/first-index.ts'
import type { MerkleTree } from '../lib/merkle-tree.ts'
import { compareCodePoints } from '../reads/code-points.ts'
import type { SetEntry } from './provable-set.ts'

/** One name: its entry, or all its entries if there are several, sorted by contract id. */
export type NameLeaf = SetEntry | readonly [SetEntry, SetEntry, ...SetEntry[]]

export interface ProvenLeaf {
  readonly text: string
  /** The hashes of the siblings on the way from the leaf to the root, one after another. */
  readonly path: Uint8Array
}

export interface Inclusion extends ProvenLeaf {
  readonly index: number
}

/**
 * Proves that a name is not in the tree, by the two leaves next to its place in the order of names.
 * `index` is the position of the right leaf, or the number of leaves if there is no right leaf.
 */
export interface Exclusion {
  readonly index: number
  readonly left: ProvenLeaf | undefined
  readonly right: ProvenLeaf | undefined
}

/**
 * The Merkle tree of the names of a set. The hashes take about 64 bytes a name; the leaves share
 * the entry objects of the set.
 */
export class NameTree {
  /** The leaves are sorted by the code points of their names, which all differ. */
  readonly #leaves: readonly NameLeaf[]
  readonly #hashes: MerkleTree

  constructor(leaves: readonly NameLeaf[], hashes: MerkleTree) {
    this.#leaves = leaves
    this.#hashes = hashes
  }

  get size(): number {
    return this.#leaves.length
  }

  /** SHA-256 in base64url. If the tree has no names, this is the hash of zero bytes. */
  get root(): string {
    return this.#hashes.root.toString('base64url')
  }

  inclusion(name: string): Inclusion | undefined {
    const index = this.#at(name)
    return this.#nameAt(index) === name ? { index, ...(this.#proven(index) as ProvenLeaf) } : undefined
  }

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

  #at(name: string): number {
    return firstIndex(this.size, (index) => compareCodePoints(this.#nameAt(index) as string, name) >= 0)
  }
}

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
