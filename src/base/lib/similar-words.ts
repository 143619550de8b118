/**
 * Returns the known word that is most similar to a mistyped one. At most a third of the letters may
 * differ.
 */
export function similarWord(word: string, known: readonly string[]): string | undefined {
  return known
    .map((other) => ({ other, edits: distance(word, other), shared: sharedBeginning(word, other) }))
    .filter(({ other, edits }) => 3 * edits <= Math.max(word.length, other.length))
    .sort((a, b) => a.edits - b.edits || b.shared - a.shared)[0]?.other
}

const leastShared = 3

function longerOrShorter(word: string, known: readonly string[]): string | undefined {
  return known
    .filter((other) => {
      const shorter = Math.min(word.length, other.length)
      return shorter >= leastShared && sharedBeginning(word, other) === shorter
    })
    .sort((a, b) => Math.abs(a.length - word.length) - Math.abs(b.length - word.length))[0]
}

function sharedBeginning(a: string, b: string): number {
  const [one, other] = [a.toLowerCase(), b.toLowerCase()]
  let length = 0
  while (length < one.length && one[length] === other[length]) length++
  return length
}

/** Returns the most similar known word, or else one of which the word is an abbreviation or a longer form. */
export function meantWord(word: string, known: readonly string[]): string | undefined {
  return similarWord(word, known) ?? longerOrShorter(word, known)
}

/** Returns the end of a message about an unknown word: `; did you mean NAME?`, or an empty text. */
export function suggestion(word: string, known: readonly string[]): string {
  const meant = meantWord(word, known)
  return meant === undefined ? '' : `; did you mean ${meant}?`
}

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
