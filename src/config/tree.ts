/** Values by key, as YAML and JSON give them. */
export type Tree = Record<string, unknown>

export function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What stands at a path; undefined where the path leads nowhere. */
export function valueAt(tree: unknown, path: readonly PropertyKey[]): unknown {
  let at = tree
  for (const key of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined
    at = (at as Record<PropertyKey, unknown>)[key]
  }
  return at
}

/** A copy of the branches without what `keep` refuses; lists are leaves. */
export function pruned(tree: Tree, keep: (key: string, value: unknown) => boolean): Tree {
  const kept = Object.entries(tree).filter(([key, value]) => keep(key, value))
  return Object.fromEntries(kept.map(([key, value]) => [key, isTree(value) ? pruned(value, keep) : value]))
}
