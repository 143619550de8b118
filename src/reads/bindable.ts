/**
 * Matches the names of the DSO and of super validators. A vote of the super validators can end such a name at
 * any time.
 */
const endsByVote = /^dso\.[^.]+$|\.sv\.[^.]+$/

/** Whether an entry with this name certainly stays until it expires. */
export function isBindable(name: string): boolean {
  return !endsByVote.test(name)
}
