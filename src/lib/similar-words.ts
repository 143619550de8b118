/**
 * Returns the known word that is most similar to a mistyped word. Of several equally similar words, the one
 * with the longest common beginning wins. A word is similar if at most a third of its letters differ.
 * Undefined if no word is similar.
 */
export function similarWord(word: string, known: readonly string[]): string | undefined {
  return known
    .map((other) => ({ other, edits: distance(word, other), shared: sharedBeginning(word, other) }))
    .filter(({ other, edits }) => 3 * edits <= Math.max(word.length, other.length))
    .sort((a, b) => a.edits - b.edits || b.shared - a.shared)[0]?.other
}

/** The minimum number of letters that an abbreviation and the full word have in common. */
const leastShared = 3

/**
 * Returns a known word that begins with `word`, or with which `word` begins: `mainnet` for `main`, and `warn`
 * for `warning`. Of several such words, the one with the nearest length wins.
 */
function longerOrShorter(word: string, known: readonly string[]): string | undefined {
  return known
    .filter((other) => {
      const shorter = Math.min(word.length, other.length)
      return shorter >= leastShared && sharedBeginning(word, other) === shorter
    })
    .sort((a, b) => Math.abs(a.length - word.length) - Math.abs(b.length - word.length))[0]
}

/** Returns the length of the common beginning of two texts. A difference in case does not count. */
export function sharedBeginning(a: string, b: string): number {
  const [one, other] = [a.toLowerCase(), b.toLowerCase()]
  let length = 0
  while (length < one.length && one[length] === other[length]) length++
  return length
}

/**
 * Returns the end of a message about an unknown word: `; did you mean NAME?`. Finds a similar word, or else one that is
 * longer or shorter, such as `mainnet` for `main` and `warn` for `warning`. Returns an empty text if there is neither.
 */
export function suggestion(word: string, known: readonly string[]): string {
  const meant = similarWord(word, known) ?? longerOrShorter(word, known)
  return meant === undefined ? '' : `; did you mean ${meant}?`
}

/**
 * Returns the number of edits that turn one text into the other. An edit inserts, removes or replaces a
 * character, or swaps two neighbours. A difference in case costs nothing.
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
