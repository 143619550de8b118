import { distance } from '../lib/similar-words.ts'

/**
 * Returns the known key that an unknown one is most likely meant to be: the most similar key of the same section,
 * or a key of another section with at most one wrong letter. Undefined if there is neither.
 * @param section the dotted path of the section with the unknown key; empty at the top level.
 * @param name the unknown key, without its section.
 * @param known the dotted paths of the known keys.
 */
export function nearestKey(section: string, name: string, known: readonly string[]): string | undefined {
  let nearest: { readonly key: string; readonly away: number } | undefined
  for (const key of known) {
    const [knownSection, knownName] = split(key)
    const sibling = section === knownSection
    const edits = Math.min(distance(name, knownName), distance(name, key))
    const away = awayOf(edits, sibling, knownName)
    if (!sibling && edits > 1) continue
    if (nearest === undefined || away < nearest.away) nearest = { key, away }
  }
  return nearest?.key
}

/**
 * Returns how far a known key is from an unknown one. A sibling (a key of the same section) that shares half of the
 * letters is nearer than a similar key of another section. A key of another section with exactly the same name is
 * nearer than a sibling with two or more wrong letters.
 * @param edits the number of wrong letters.
 * @param known the name of the known key.
 */
function awayOf(edits: number, sibling: boolean, known: string): number {
  if (!sibling) return edits === 0 ? 1 : 1 + edits
  const isSimilar = 2 * edits <= known.length
  return isSimilar ? Math.min(edits, 1 + edits / 100) : edits
}

function split(path: string): readonly [section: string, name: string] {
  const dot = path.lastIndexOf('.')
  return [path.slice(0, Math.max(dot, 0)), path.slice(dot + 1)]
}
