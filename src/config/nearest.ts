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

function similarWord(word: string, known: readonly string[]): string | undefined {
  let nearest: { readonly word: string; readonly edits: number } | undefined
  for (const other of known) {
    const edits = distance(word, other)
    const isSimilar = 3 * edits <= Math.max(word.length, other.length)
    if (isSimilar && edits < (nearest?.edits ?? Number.POSITIVE_INFINITY)) nearest = { word: other, edits }
  }
  return nearest?.word
}

/**
 * Returns the end of a message about an unknown word: `; did you mean NAME?`. Returns an empty text if no
 * known word resembles it.
 */
export function suggestion(word: string, known: readonly string[]): string {
  const meant = similarWord(word, known)
  return meant === undefined ? '' : `; did you mean ${meant}?`
}

function split(path: string): readonly [section: string, name: string] {
  const dot = path.lastIndexOf('.')
  return [path.slice(0, Math.max(dot, 0)), path.slice(dot + 1)]
}

/**
 * Returns how many letters have to be inserted, removed, replaced or swapped with their neighbour to make one text
 * of the other. A difference in case costs nothing.
 */
export function distance(a: string, b: string): number {
  const [from, to] = [a.toLowerCase(), b.toLowerCase()]
  let before: readonly number[] = []
  let row = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] as number) + (from[i - 1] === to[j - 1] ? 0 : 1)
      const edits = Math.min(replaced, (row[j] as number) + 1, (next[j - 1] as number) + 1)
      const isSwapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
      next.push(isSwapped ? Math.min(edits, (before[j - 2] as number) + 1) : edits)
    }
    before = row
    row = next
  }
  return row[to.length] as number
}
