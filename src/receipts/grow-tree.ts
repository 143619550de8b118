import { MerkleTree } from '../lib/merkle-tree.ts'
import { isBindable } from '../reads/bindable.ts'
import { codePointKey } from '../reads/code-points.ts'
import { leafText, type NameLeaf, NameTree } from './name-tree.ts'
import type { ProvableSet, SetEntry } from './provable-set.ts'

/** The number of entries that one step handles, in less than a millisecond. */
const portion = 512

interface Keyed {
  /** Comparing two keys with `<` compares their names by code point. */
  readonly key: string
  readonly entry: SetEntry
}

/**
 * Builds the Merkle tree of a set of names in short steps. Each step ends with a `yield`, so that
 * the daemon can answer callers in between. The tree leaves out entries that had expired at the
 * snapshot, because scans do not return them. It also leaves out the names of the DSO and of super
 * validators, which scans return without an entry on the ledger.
 */
export function* growTree({ entries, at }: Pick<ProvableSet, 'entries' | 'at'>): Generator<void, NameTree> {
  const leaves = yield* leavesOf(yield* sorted(yield* keyed(entries, at)))
  const hashes = yield* MerkleTree.grow(leaves.length, (index) => leafText(leaves[index] as NameLeaf))
  return new NameTree(leaves, hashes)
}

function* keyed(entries: readonly SetEntry[], at: number): Generator<void, Keyed[]> {
  const found: Keyed[] = []
  for (const [index, entry] of entries.entries()) {
    const { name, expires_at } = entry
    if (isBindable(name) && Date.parse(expires_at) >= at) found.push({ key: codePointKey(name), entry })
    if (index % portion === 0) yield
  }
  return found
}

function* sorted(items: readonly Keyed[]): Generator<void, readonly Keyed[]> {
  let runs: (readonly Keyed[])[] = []
  for (let start = 0; start < items.length; start += portion) {
    runs.push(items.slice(start, start + portion).sort(inOrder))
    yield
  }
  while (runs.length > 1) {
    const longer: (readonly Keyed[])[] = []
    for (let at = 0; at < runs.length; at += 2)
      longer.push(yield* merged(runs[at] as readonly Keyed[], runs[at + 1] ?? []))
    runs = longer
  }
  return runs[0] ?? []
}

function* merged(left: readonly Keyed[], right: readonly Keyed[]): Generator<void, readonly Keyed[]> {
  const both: Keyed[] = []
  let [atLeft, atRight] = [0, 0]
  while (both.length < left.length + right.length) {
    const [one, other] = [left[atLeft], right[atRight]]
    if (other === undefined || (one !== undefined && inOrder(one, other) < 0)) {
      both.push(one as Keyed)
      atLeft++
    } else {
      both.push(other)
      atRight++
    }
    if (both.length % portion === 0) yield
  }
  return both
}

function inOrder(one: Keyed, other: Keyed): number {
  if (one.key !== other.key) return one.key < other.key ? -1 : 1
  return one.entry.contract_id < other.entry.contract_id ? -1 : 1
}

function* leavesOf(items: readonly Keyed[]): Generator<void, readonly NameLeaf[]> {
  const leaves: NameLeaf[] = []
  for (let start = 0; start < items.length; ) {
    let end = start + 1
    while (items[end]?.key === items[start]?.key) end++
    const [first, second, ...rest] = items.slice(start, end).map(({ entry }) => entry) as [
      SetEntry,
      ...SetEntry[],
    ]
    leaves.push(second === undefined ? first : [first, second, ...rest])
    if (leaves.length % portion === 0) yield
    start = end
  }
  return leaves
}
