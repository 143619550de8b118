export type Tree = Record<string, unknown>

export function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Copies a tree without the keys that `keep` rejects, at every level. Objects inside lists keep all
 * their keys.
 */
export function pruned(tree: Tree, keep: (key: string, value: unknown) => boolean): Tree {
  const kept = Object.entries(tree).filter(([key, value]) => keep(key, value))
  return Object.fromEntries(kept.map(([key, value]) => [key, isTree(value) ? pruned(value, keep) : value]))
}
