/**
 * No genuine request needs more. A request with so many values takes at most about 20 ms to check.
 */
export const mostValues = 10_000

const quote = 34
const comma = 44
const openBracket = 91
const backslash = 92
const closeBracket = 93
const openBrace = 123
const closeBrace = 125

export interface ShapeLimits {
  readonly mostInOne?: number
  /**
   * At a deeper value `hasMoreValues` returns false, because `parseJson` rejects the depth later.
   */
  readonly maxDepth?: number
}

/**
 * Whether a text has more than `most` values, or more than `mostInOne` in one list or object.
 * Counts commas and opening brackets instead of parsing: a comma or a bracket precedes every value
 * but the first. So an empty list or object counts as two values.
 * @param text must be JSON; for another text, the result is meaningless
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

export function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0
    while (text.charCodeAt(at - 1 - slashes) === backslash) slashes++
    if (slashes % 2 === 0) return at
  }
  return text.length
}
