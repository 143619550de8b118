/** Matches the names of the DSO and of super validators, which a vote of the super validators can end at any time. */
const endsByVote = /^dso\.[^.]+$|\.sv\.[^.]+$/

/** Whether an entry with this name certainly stays until it expires. */
export function isBindable(name: string): boolean {
  return !endsByVote.test(name)
}
