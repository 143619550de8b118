import { distance, sharedBeginning } from '../lib/similar-words.ts'

/**
 * Returns the known key that is nearest to an unknown one. A key of another section is considered
 * only if it has at most one wrong letter.
 * @param section the dotted path of the section with the unknown key; empty at the top level.
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

export function isSimilarKey(name: string, path: string): boolean {
  const [, known] = split(path)
  const edits = Math.min(distance(name, known), distance(name, path))
  return 2 * edits <= known.length || sharedBeginning(name, known) >= 4
}

/**
 * Returns the distance of a known key from an unknown key. From the nearest on:
 * - a key of the same section with at most one wrong letter, or of another section with none
 * - a key of the same section with at least half of its letters right
 * - all other keys, by the number of wrong letters, with one more for a key of another section
 *
 * @param edits the number of wrong letters.
 * @param sibling whether both keys are of the same section.
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
