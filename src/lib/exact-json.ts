/** Gives what stands in place of a number that is written like this; undefined for the number itself. */
type Keep = (source: string) => object | undefined

/** JSON without loss: numbers that a double would round stand as objects that print as they were written. */
export interface ExactJson {
  /** An object that prints as this text. */
  raw(text: string): object
  isRaw(value: unknown): boolean
  /** @throws SyntaxError for what is no JSON, and whatever `keep` throws. */
  parse(text: string, keep: Keep): unknown
  print(value: unknown): string
}

/** What engines have of it: all of `JSON` since Node 21, Chrome 114, Firefox 135 and Safari 18.4. */
export interface NativeJson {
  rawJSON?(text: string): object
  isRawJSON?(value: unknown): boolean
  parse(
    text: string,
    reviver?: (key: string, value: unknown, context?: { readonly source?: string }) => unknown,
  ): unknown
}

/** By the engine where it can, by hand where it is older. */
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
      const members = Object.entries(value).map(
        ([key, member]) => `${JSON.stringify(key)}:${this.print(member)}`,
      )
      return `{${members.join(',')}}`
    },
  }
}

const tokens = /[[\]{}:,]|"[^"\\]*(?:\\.[^"\\]*)*"|[^[\]{}:,"\s]+/g

/** @param tokens of a text that is JSON. */
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
      // A key may be `__proto__`, which an assignment would not make a member.
      Object.defineProperty(members, key, {
        value: value(),
        configurable: true,
        enumerable: true,
        writable: true,
      })
    }
    return members
  }
  /** Passes over a comma, or the bracket. */
  const isEnd = (bracket: string): boolean => {
    if (tokens[at] === ',') at++
    if (tokens[at] !== bracket) return false
    at++
    return true
  }
  return value()
}
