/**
 * Returns the known key that most likely corrects an unknown one: a sibling, unless another section has a key of that
 * name.
 * @param section the dotted path of the section with the unknown key; empty at the top level.
 * @param known dotted paths.
 */
export function nearestKey(section: string, name: string, known: readonly string[]): string | undefined {
  let nearest: { readonly key: string; readonly distance: number } | undefined
  for (const key of known) {
    const [knownSection, knownName] = split(key)
    const sibling = section === knownSection
    const distance = Math.min(edits(name, knownName), edits(name, key)) + (sibling ? 0 : 1)
    if (!sibling && distance > 2) continue
    if (nearest === undefined || distance < nearest.distance) nearest = { key, distance }
  }
  return nearest?.key
}

function split(path: string): readonly [section: string, name: string] {
  const dot = path.lastIndexOf('.')
  return [path.slice(0, Math.max(dot, 0)), path.slice(dot + 1)]
}

/** The Levenshtein distance; a difference in case costs nothing. */
function edits(a: string, b: string): number {
  const [from, to] = [a.toLowerCase(), b.toLowerCase()]
  let row = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] as number) + (from[i - 1] === to[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] as number) + 1, (next[j - 1] as number) + 1))
    }
    row = next
  }
  return row[to.length] as number
}
