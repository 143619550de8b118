/**
 * Returns the object that replaces a number with the digits `source`. Returns undefined if the number needs
 * no replacement.
 */
type Keep = (source: string) => object | undefined

/**
 * Parses and serializes JSON without losing digits. Parsing can replace a number that a double would round with an
 * object, which `print` writes with the number's own digits.
 */
export interface ExactJson {
  /** Returns an object that `print` writes as exactly this text. */
  raw(text: string): object
  isRaw(value: unknown): boolean
  /**
   * Parses JSON. `keep` is called for each number and may replace it by an object.
   * @throws SyntaxError if the text is not JSON, and any error that `keep` throws.
   */
  parse(text: string, keep: Keep): unknown
  print(value: unknown): string
}

/**
 * The methods of `JSON` that parse and serialize numbers exactly, if the engine has them. Node 21, Chrome 114,
 * Firefox 135, Safari 18.4 and later have all of them.
 */
export interface NativeJson {
  rawJSON?(text: string): object
  isRawJSON?(value: unknown): boolean
  parse(
    text: string,
    reviver?: (key: string, value: unknown, context?: { readonly source?: string }) => unknown,
  ): unknown
}

/**
 * Returns the exact parser and serializer. It uses the engine's own methods if the engine has them, and otherwise
 * code in this file.
 */
export function exactJson({ rawJSON: raw, isRawJSON: isRaw, parse }: NativeJson): ExactJson {
  if (raw === undefined || isRaw === undefined) return byHand()
  return {
    raw,
    isRaw,
    parse: (text, keep) =>
      parse(text, (_key, value, context) =>
        typeof value !== 'number' || context?.source === undefined ? value : (keep(context.source) ?? value),
      ),
    print: JSON.stringify,
  }
}

function byHand(): ExactJson {
  const made = new WeakMap<object, string>()
  const textOf = (value: unknown) =>
    typeof value === 'object' && value !== null ? made.get(value) : undefined
  return {
    raw(text) {
      const raw = Object.freeze(Object.assign(Object.create(null) as object, { rawJSON: text }))
      made.set(raw, text)
      return raw
    },
    isRaw: (value) => textOf(value) !== undefined,
    parse(text, keep) {
      JSON.parse(text)
      return valueIn(text.match(tokens) ?? [], keep)
    },
    print(value) {
      const raw = textOf(value)
      if (raw !== undefined) return raw
      if (Array.isArray(value)) return `[${value.map((item) => this.print(item)).join(',')}]`
      if (typeof value !== 'object' || value === null) return JSON.stringify(value)
      const members = Object.entries(value)
        .filter(([, member]) => member !== undefined)
        .map(([key, member]) => `${JSON.stringify(key)}:${this.print(member)}`)
      return `{${members.join(',')}}`
    },
  }
}

const tokens = /[[\]{}:,]|"[^"\\]*(?:\\.[^"\\]*)*"|[^[\]{}:,"\s]+/g

/** Makes the value of a JSON text from its tokens. The text must be valid. */
function valueIn(tokens: readonly string[], keep: Keep): unknown {
  let at = 0
  const value = (): unknown => {
    const token = tokens[at++] ?? ''
    if (token === '[') return list()
    if (token === '{') return object()
    const plain: unknown = JSON.parse(token)
    return typeof plain === 'number' ? (keep(token) ?? plain) : plain
  }
  const list = (): unknown => {
    const items: unknown[] = []
    while (!isEnd(']')) items.push(value())
    return items
  }
  const object = (): unknown => {
    const members = {}
    while (!isEnd('}')) {
      const key = JSON.parse(tokens[at] ?? '') as string
      at += 2
      // An assignment to the key `__proto__` would set the prototype instead of a member.
      Object.defineProperty(members, key, {
        value: value(),
        configurable: true,
        enumerable: true,
        writable: true,
      })
    }
    return members
  }
  /**
   * Moves past a comma, if one is next. Then, if the closing bracket is next, moves past it and returns true.
   */
  const isEnd = (bracket: string): boolean => {
    if (tokens[at] === ',') at++
    if (tokens[at] !== bracket) return false
    at++
    return true
  }
  return value()
}
