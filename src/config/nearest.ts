import { distance, sharedBeginning } from '../lib/similar-words.ts'

/**
 * Returns the known key that the user probably meant by an unknown one. That is the most similar key of the
 * same section, or a key of another section with at most one wrong letter. Of equally similar keys, the one
 * with the longest common beginning with the unknown key wins. Returns undefined if there is no such key.
 * @param section the dotted path of the section with the unknown key; empty at the top level.
 * @param name the unknown key, without its section.
 * @param known the dotted paths of the known keys.
 */
export function nearestKey(section: string, name: string, known: readonly string[]): string | undefined {
  let nearest: { readonly key: string; readonly away: number; readonly shared: number } | undefined
  for (const key of known) {
    const [knownSection, knownName] = split(key)
    const sibling = section === knownSection
    const edits = Math.min(distance(name, knownName), distance(name, key))
    const away = awayOf(edits, sibling, knownName)
    if (!sibling && edits > 1) continue
    const shared = sharedBeginning(name, knownName)
    const isNearer =
      nearest === undefined || away < nearest.away || (away === nearest.away && shared > nearest.shared)
    if (isNearer) nearest = { key, away, shared }
  }
  return nearest?.key
}

/**
 * Whether an unknown key is probably a misspelling of the known key at this path: no more than half of the
 * letters are wrong, or both begin with the same four letters.
 */
export function isSimilarKey(name: string, path: string): boolean {
  const [, known] = split(path)
  const edits = Math.min(distance(name, known), distance(name, path))
  return 2 * edits <= known.length || sharedBeginning(name, known) >= 4
}

/**
 * Returns how far a known key is from an unknown one; the smallest number wins. A sibling is a key of the same section.
 * A sibling with at least half of its letters right beats a similar key of another section. But a key of another
 * section with exactly the unknown name beats a sibling with two or more wrong letters.
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
