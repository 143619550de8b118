import { base64Of, tryBase64 } from './base64.ts'
import { withoutTrailing } from './without-trailing.ts'

/** A bare item of RFC 9651. Dates are seconds since 1970. */
export type BareItem =
  | { readonly type: 'integer' | 'decimal' | 'date'; readonly value: number }
  | { readonly type: 'string' | 'token' | 'display'; readonly value: string }
  | { readonly type: 'boolean'; readonly value: boolean }
  | { readonly type: 'bytes'; readonly value: Uint8Array<ArrayBuffer> }

export type ItemParameters = ReadonlyMap<string, BareItem>

export interface FieldItem {
  readonly bare: BareItem
  readonly parameters: ItemParameters
}

export interface InnerList {
  readonly items: readonly FieldItem[]
  readonly parameters: ItemParameters
}

export type FieldMember = FieldItem | InnerList

export class MalformedField extends Error {
  override readonly name = 'MalformedField'
}

const longest = 65_536

/**
 * Parses a dictionary (RFC 9651, 4.2.2). Unlike the RFC, it rejects a repeated key, because two
 * parsers could choose different values for it.
 * @throws MalformedField
 */
export function parseDictionary(text: string): ReadonlyMap<string, FieldMember> {
  const reader = new FieldReader(text)
  const members = new Map<string, FieldMember>()
  reader.members(() => {
    const key = reader.key()
    if (members.has(key)) throw new MalformedField(`the key ${key} is repeated`)
    members.set(key, reader.take('=') ? reader.member() : reader.flag())
  })
  return members
}

export function parseList(text: string): readonly FieldMember[] {
  const reader = new FieldReader(text)
  const members: FieldMember[] = []
  reader.members(() => members.push(reader.member()))
  return members
}

/**
 * Serializes a string item whose parameters are all flags, such as `"@path";req`. Returns undefined
 * for any other item.
 */
export function printItem({ bare, parameters }: FieldItem): string | undefined {
  if (bare.type !== 'string' || !/^[ !#-[\]-~]*$/.test(bare.value)) return undefined
  if ([...parameters.values()].some(({ value }) => value !== true)) return undefined
  return [`"${bare.value}"`, ...parameters.keys()].join(';')
}

/**
 * The result is a string of RFC 9651, or a display string if a character is not printable ASCII.
 */
export function printText(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return `"${text.replace(/["\\]/g, '\\$&')}"`
  let encoded = ''
  for (const byte of new TextEncoder().encode(text)) {
    const plain = byte >= 0x20 && byte <= 0x7e && byte !== 0x25 && byte !== 0x22
    encoded += plain ? String.fromCharCode(byte) : `%${byte.toString(16).padStart(2, '0')}`
  }
  return `%"${encoded}"`
}

export function printBytes(bytes: Uint8Array): string {
  return `:${base64Of(bytes)}:`
}

class FieldReader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    if (text.length > longest) throw new MalformedField(`it has more than ${longest} characters`)
    this.#text = withoutTrailing(' ', text.replace(/^ +/, ''))
  }

  members(read: () => void): void {
    while (this.#at < this.#text.length) {
      read()
      if (this.#at === this.#text.length) return
      this.#match(/[ \t]*,[ \t]*/y, 'a comma')
      if (this.#at === this.#text.length) throw this.#error('a member after the comma')
    }
  }

  key(): string {
    return this.#match(/[a-z*][a-z\d_.*-]*/y, 'a key')
  }

  flag(): FieldItem {
    return { bare: { type: 'boolean', value: true }, parameters: this.#parameters() }
  }

  member(): FieldMember {
    return this.take('(') ? this.#innerList() : this.#item()
  }

  take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false
    this.#at++
    return true
  }

  #innerList(): InnerList {
    const items: FieldItem[] = []
    for (;;) {
      const spaces = this.#match(/ */y, 'a space')
      if (this.take(')')) return { items, parameters: this.#parameters() }
      if (items.length > 0 && spaces === '') throw this.#error('a space')
      items.push(this.#item())
    }
  }

  #item(): FieldItem {
    return { bare: this.#bare(), parameters: this.#parameters() }
  }

  #parameters(): ItemParameters {
    const parameters = new Map<string, BareItem>()
    while (this.take(';')) {
      this.#match(/ */y, 'a space')
      const key = this.key()
      if (parameters.has(key)) throw new MalformedField(`the parameter ${key} is repeated`)
      parameters.set(key, this.take('=') ? this.#bare() : { type: 'boolean', value: true })
    }
    return parameters
  }

  #bare(): BareItem {
    switch (this.#text[this.#at]) {
      case '"':
        return { type: 'string', value: this.#string() }
      case ':':
        return { type: 'bytes', value: this.#bytes() }
      case '?':
        return { type: 'boolean', value: this.#match(/\?[01]/y, 'a boolean') === '?1' }
      case '@':
        return { type: 'date', value: Number(this.#match(/@-?\d{1,15}(?![\d.])/y, 'a date').slice(1)) }
      case '%':
        return { type: 'display', value: this.#display() }
      default:
        return this.#numberOrToken()
    }
  }

  #numberOrToken(): BareItem {
    if (!/[-\d]/.test(this.#text[this.#at] ?? ''))
      return { type: 'token', value: this.#match(/[a-z*][\w!#$%&'*+.^`|~:/-]*/iy, 'an item') }
    const number = this.#match(/-?(?:\d{1,12}\.\d{1,3}|\d{1,15})(?![\d.])/y, 'a number')
    return { type: number.includes('.') ? 'decimal' : 'integer', value: Number(number) }
  }

  #string(): string {
    const quoted = this.#match(/"(?:[ !#-[\]-~]|\\["\\])*"/y, 'a string')
    return quoted.slice(1, -1).replace(/\\(.)/g, '$1')
  }

  #bytes(): Uint8Array<ArrayBuffer> {
    const base64 = this.#match(/:[A-Za-z\d+/]*={0,2}:/y, 'a byte sequence').slice(1, -1)
    const bytes = tryBase64(base64)
    if (bytes === undefined) throw this.#error('base64 in its canonical form')
    return bytes
  }

  #display(): string {
    const quoted = this.#match(/%"(?:[ !#$&-~]|%[\da-f]{2})*"/y, 'a display string')
    try {
      return decodeURIComponent(quoted.slice(2, -1))
    } catch {
      throw this.#error('UTF-8 in a display string')
    }
  }

  #match(pattern: RegExp, noun: string): string {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0]
    if (found === undefined) throw this.#error(noun)
    this.#at += found.length
    return found
  }

  #error(noun: string): MalformedField {
    return new MalformedField(`${noun} is missing at character ${this.#at + 1}`)
  }
}
