/** Names of the DSO and of super validators, which can end by a vote at any time. */
const endsByVote = /^dso\.[^.]+$|\.sv\.[^.]+$/

/** Whether a name, once agreed, holds until it expires. */
export function isBindable(name: string): boolean {
  return !endsByVote.test(name)
}
