import { hasEscapedKey, type NumberReplacer, readByToken } from './parse-json-text.ts'

export interface ExactJson {
  raw(text: string): object
  isRaw(value: unknown): boolean
  /**
   * `replacer` is called for each number, and may replace the number by an object.
   * @throws SyntaxError if the text is not JSON, and any error of `replacer`
   */
  parse(text: string, replacer: NumberReplacer): unknown
  print(value: unknown): string
}

/** Node 21, Chrome 114, Firefox 135, Safari 18.4 and later have all of these methods of `JSON`. */
export interface NativeJson {
  rawJSON?(text: string): object
  isRawJSON?(value: unknown): boolean
  parse(
    text: string,
    reviver?: (key: string, value: unknown, context?: { readonly source?: string }) => unknown,
  ): unknown
}

export function exactJson({ rawJSON: raw, isRawJSON: isRaw, parse }: NativeJson): ExactJson {
  if (raw === undefined || isRaw === undefined) return byHand()
  return {
    raw,
    isRaw,
    parse(text, replacer) {
      const value = parse(text, (_key, member, context) =>
        typeof member !== 'number' || context?.source === undefined
          ? member
          : (replacer(context.source) ?? member),
      )
      return hasEscapedKey(text) ? readByToken(text, replacer) : value
    },
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
    parse(text, replacer) {
      JSON.parse(text)
      return readByToken(text, replacer)
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
