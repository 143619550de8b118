/** No request of a caller needs more values; judging as many takes some 20 ms at most. */
export const mostValues = 10_000

const quote = 34
const comma = 44
const openBracket = 91
const backslash = 92
const closeBracket = 93
const openBrace = 123
const closeBrace = 125

/** What ends the search early; no limit where it is left out. */
export interface ShapeLimits {
  /** Elements of one list, or members of one object. */
  readonly mostInOne?: number
  /** A text of more levels than this is not followed further. */
  readonly maxDepth?: number
}

/**
 * Whether a JSON text may hold more values than this, or more than `mostInOne` in one list or object, told by one pass
 * before anything is made of it: every value but the first stands behind a comma or an opening bracket. Of a text that
 * is no JSON it says nothing that matters.
 */
export function hasMoreValues(text: string, most: number, limits: ShapeLimits = {}): boolean {
  const { mostInOne = Number.POSITIVE_INFINITY, maxDepth = Number.POSITIVE_INFINITY } = limits
  if (text.length < Math.min(most, mostInOne)) return false
  const around: number[] = []
  let inOne = 1
  let found = 1
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      at = endOfString(text, at)
    } else if (code === comma) {
      if (++found > most || ++inOne > mostInOne) return true
    } else if (code === openBracket || code === openBrace) {
      if (++found > most) return true
      if (around.push(inOne) > maxDepth) return false
      inOne = 1
    } else if (code === closeBracket || code === closeBrace) {
      inOne = around.pop() ?? 1
    }
  }
  return false
}

/** Where the string ends that begins with the quote at `start`. */
export function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0
    while (text.charCodeAt(at - 1 - slashes) === backslash) slashes++
    if (slashes % 2 === 0) return at
  }
  return text.length
}
