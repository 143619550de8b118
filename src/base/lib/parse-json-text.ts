/** @param source the number's JSON text. */
type NumberReplacer = (source: string) => object | undefined

const deepest = 1_000

/**
 * Avoids a bug in the V8 of Node 26 (docs/decisions/0029): V8 may read a key with escapes as a key
 * of an earlier object. After `{"a":0,"\\":0}`, it reads `{"a":0,"\"":0}` as `{"a":0,"\\":0}`
 * again.
 * @throws SyntaxError if the text is not JSON, or has escaped keys and more than 1,000 levels
 */
export function parseJsonText(text: string): unknown {
  const value: unknown = JSON.parse(text)
  // A damaged database may return a value that is not a string. `JSON.parse` converts it to one, so
  // the other parser must get a string as well.
  return hasEscapedKey(`${text}`) ? readByToken(text, () => undefined) : value
}

/** Returns undefined if the text is not JSON. */
export function tryJsonText(text: string): unknown {
  try {
    return parseJsonText(text)
  } catch {
    return undefined
  }
}

/** Returns the value of a JSON text, or the text itself if it is not JSON. */
export function jsonOrText(text: string): unknown {
  const value = tryJsonText(text)
  return value === undefined ? text : value
}

function hasEscapedKey(text: string): boolean {
  let slash = text.indexOf('\\')
  let at = text.indexOf('"')
  while (slash !== -1 && at !== -1) {
    const end = endOfString(text, at)
    if (slash < end && text.charCodeAt(afterSpace(text, end + 1)) === colon) return true
    if (slash < end) slash = text.indexOf('\\', end)
    at = text.indexOf('"', end + 1)
  }
  return false
}

function afterSpace(text: string, start: number): number {
  let at = start
  while (text.charCodeAt(at) <= space) at++
  return at
}

/** @param text must be JSON */
export function readByToken(text: string, replacer: NumberReplacer): unknown {
  return new TokenReader(text, replacer).value(0)
}

class TokenReader {
  readonly #text: string
  readonly #replacer: NumberReplacer
  #at = 0

  constructor(text: string, replacer: NumberReplacer) {
    this.#text = text
    this.#replacer = replacer
  }

  value(depth: number): unknown {
    if (depth > deepest) throw new SyntaxError(`more than ${deepest} levels`)
    if (this.#skipIfNext('[')) return this.#list(depth)
    if (this.#skipIfNext('{')) return this.#object(depth)
    const token = this.#token()
    const plain: unknown = JSON.parse(token)
    return typeof plain === 'number' ? (this.#replacer(token) ?? plain) : plain
  }

  #list(depth: number): unknown[] {
    const items: unknown[] = []
    while (!this.#skipIfNext(']')) {
      items.push(this.value(depth + 1))
      this.#skipIfNext(',')
    }
    return items
  }

  #object(depth: number): object {
    const members = {}
    while (!this.#skipIfNext('}')) {
      const key = JSON.parse(this.#token()) as string
      this.#skipIfNext(':')
      // An assignment to the key `__proto__` would set the prototype instead of a field.
      Object.defineProperty(members, key, {
        value: this.value(depth + 1),
        configurable: true,
        enumerable: true,
        writable: true,
      })
      this.#skipIfNext(',')
    }
    return members
  }

  #skipIfNext(character: string): boolean {
    this.#at = afterSpace(this.#text, this.#at)
    if (this.#text[this.#at] !== character) return false
    this.#at++
    return true
  }

  #token(): string {
    const text = this.#text
    const start = afterSpace(text, this.#at)
    this.#at = text[start] === '"' ? endOfString(text, start) + 1 : endOfWord(text, start)
    return text.slice(start, this.#at)
  }
}

function endOfWord(text: string, start: number): number {
  let at = start
  while (/[-+.\w]/.test(text[at] ?? '')) at++
  return at
}

/**
 * No genuine request needs more. A request with so many values takes at most about 20 ms to check.
 */
export const mostValues = 10_000

const space = 32
const quote = 34
const comma = 44
const colon = 58
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
