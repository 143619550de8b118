/**
 * Matches names of the DSO and of super validators. The super validators can vote such a name away
 * at any time.
 */
const endsByVote = /^dso\.[^.]+$|\.sv\.[^.]+$/

/** Whether an entry with this name certainly stays until it expires. */
export function isBindable(name: string): boolean {
  return !endsByVote.test(name)
}
