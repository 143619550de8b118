/** Finds the known word that a mistyped one most resembles. Returns undefined if none does. */
export function similarWord(word: string, known: readonly string[]): string | undefined {
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
