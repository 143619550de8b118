/**
 * A tree that prints as JSON. It can also express what no JavaScript value can: repeated keys, the exact digits of a
 * number, malformed JSON.
 */
export type Tree =
  | { readonly kind: 'list'; readonly items: readonly Tree[] }
  | { readonly kind: 'object'; readonly members: readonly Member[] }
  | { readonly kind: 'text'; readonly text: string }
  /** A number, a word such as `null`, or any other text, which is printed unchanged. */
  | { readonly kind: 'raw'; readonly source: string }

export type Member = readonly [key: string, value: Tree]

export function treeOf(value: unknown): Tree {
  if (typeof value === 'string') return { kind: 'text', text: value }
  if (Array.isArray(value)) return { kind: 'list', items: value.map(treeOf) }
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([key, member]): Member => [key, treeOf(member)])
    return { kind: 'object', members }
  }
  return { kind: 'raw', source: String(value) }
}

export function raw(source: string): Tree {
  return { kind: 'raw', source }
}

export function partsOf(tree: Tree): readonly Tree[] {
  const parts: Tree[] = []
  const visit = (part: Tree) => {
    parts.push(part)
    if (part.kind === 'list') part.items.forEach(visit)
    if (part.kind === 'object') for (const [, value] of part.members) visit(value)
  }
  visit(tree)
  return parts
}

/** Replaces the part `old`. If `other` is undefined, the part is left out. */
export function replaced(tree: Tree, old: Tree, other: Tree | undefined): Tree | undefined {
  if (tree === old) return other
  if (tree.kind === 'list') {
    const items = tree.items.flatMap((item) => replaced(item, old, other) ?? [])
    return { kind: 'list', items }
  }
  if (tree.kind === 'object') {
    const members = tree.members.flatMap(([key, value]): Member[] => {
      const now = replaced(value, old, other)
      return now === undefined ? [] : [[key, now]]
    })
    return { kind: 'object', members }
  }
  return tree
}
