/** No request of a caller needs more values; judging as many takes some 20 ms at most. */
export const mostValues = 10_000

const quote = 34
const comma = 44
const openBracket = 91
const backslash = 92
const openBrace = 123

/**
 * Whether a JSON text may hold more values than this, told by one pass before anything is made of it: every value but
 * the first stands behind a comma or an opening bracket. Of a text that is no JSON it says nothing that matters.
 */
export function hasMoreValues(text: string, most: number): boolean {
  let left = most
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at)
    else if ((code === comma || code === openBracket || code === openBrace) && --left <= 0) return true
  }
  return false
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) return at
    if (code === backslash) at++
  }
  return text.length
}
