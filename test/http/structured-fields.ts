/** A bare item of RFC 9651, of one of the types that this daemon's headers use. */
export type Bare =
  | number
  | string
  | boolean
  | { readonly token: string }
  | { readonly display: string }
  /** Seconds since 1970. */
  | { readonly date: number }
  | { readonly base64: string }

export interface Item {
  readonly value: Bare
  readonly params: Readonly<Record<string, Bare>>
}

export function parseList(text: string): readonly Item[] {
  return new Parser(text).list()
}

export function parseItem(text: string): Item {
  const [item, ...more] = new Parser(text).list()
  if (item === undefined || more.length > 0) throw new Error('not one item')
  return item
}

export function parseDictionary(text: string): Readonly<Record<string, Item>> {
  return new Parser(text).dictionary()
}

class Parser {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  list(): readonly Item[] {
    const items: Item[] = []
    this.#members(() => items.push(this.#item()))
    return items
  }

  dictionary(): Readonly<Record<string, Item>> {
    const members: Record<string, Item> = {}
    this.#members(() => {
      const key = this.#take(/[a-z*][a-z0-9_\-.*]*/y, 'a key')
      members[key] = this.#skip('=') ? this.#item() : { value: true, params: this.#params() }
    })
    return members
  }

  #members(member: () => void): void {
    if (this.#done()) return
    for (;;) {
      member()
      if (this.#done()) return
      this.#take(/[ \t]*,[ \t]*/y, 'a comma')
      if (this.#done()) throw new Error('a comma at the end')
    }
  }

  #item(): Item {
    return { value: this.#bare(), params: this.#params() }
  }

  #params(): Readonly<Record<string, Bare>> {
    const params: Record<string, Bare> = {}
    while (this.#skip(';')) {
      this.#take(/ */y, 'spaces')
      const key = this.#take(/[a-z*][a-z0-9_\-.*]*/y, 'a key')
      params[key] = this.#skip('=') ? this.#bare() : true
    }
    return params
  }

  #bare(): Bare {
    const rest = this.#text.slice(this.#at)
    if (rest.startsWith('%"')) return { display: this.#display() }
    if (rest.startsWith('"')) {
      return this.#take(/"(?:[ !#-[\]-~]|\\["\\])*"/y, 'a string')
        .slice(1, -1)
        .replaceAll(/\\(.)/g, '$1')
    }
    if (rest.startsWith(':'))
      return { base64: this.#take(/:[A-Za-z0-9+/=]*:/y, 'a byte sequence').slice(1, -1) }
    if (rest.startsWith('?')) return this.#take(/\?[01]/y, 'a boolean') === '?1'
    if (rest.startsWith('@')) return { date: Number(this.#take(/@-?\d{1,15}/y, 'a date').slice(1)) }
    if (/^[A-Za-z*]/.test(rest)) return { token: this.#take(/[A-Za-z*][\w!#$%&'*+\-.^`|~:/]*/y, 'a token') }
    return Number(this.#take(/-?\d{1,15}/y, 'an integer'))
  }

  #display(): string {
    const encoded = this.#take(/%"(?:[ !#$&-~]|%[0-9a-f]{2})*"/y, 'a display string').slice(2, -1)
    const bytes = Buffer.from(
      encoded.replaceAll(/%([0-9a-f]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
      'latin1',
    )
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  }

  #take(pattern: RegExp, what: string): string {
    pattern.lastIndex = this.#at
    const [found] = pattern.exec(this.#text) ?? []
    if (found === undefined) throw new Error(`${what} expected at ${this.#at} of ${this.#text}`)
    this.#at += found.length
    return found
  }

  #skip(sign: string): boolean {
    if (this.#text[this.#at] !== sign) return false
    this.#at++
    return true
  }

  #done(): boolean {
    return this.#at === this.#text.length
  }
}
