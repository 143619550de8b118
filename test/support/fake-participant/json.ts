// biome-ignore lint/suspicious/noExplicitAny: bodies are JSON of any shape
export type Json = any

/** A status and a body. A body that is a string is sent as plain text, and any other body as JSON. */
export type Reply = readonly [status: number, body: Json]

export class Refused extends Error {
  readonly reply: Reply

  constructor(reply: Reply) {
    super(JSON.stringify(reply))
    this.reply = reply
  }
}

export function undecodable(what: string): Refused {
  return new Refused([400, `Invalid value for: ${what}`])
}

export function tryParse(text: string): Json | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

// These functions read bodies as Canton's JSON layer does. A missing flag is false, and a missing list is empty.
// Every mistake causes a plain-text error with the path of the mistake.

export type Decode<T> = (value: Json, path: string) => T

function wrong(what: string, path: string): never {
  throw undecodable(`body (${what}${path === '' ? '' : ` at '${path}'`})`)
}

export function objectAt(value: Json, path: string): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) wrong('expected object', path)
  return value
}

export function textAt(value: Json, path: string): string {
  if (typeof value !== 'string') wrong('expected string', path)
  return value
}

export function flagAt(value: Json, path: string): boolean {
  if (value === undefined) return false
  if (typeof value !== 'boolean') wrong('expected boolean', path)
  return value
}

export function int64At(value: Json, path: string): number {
  const number = typeof value === 'string' && /^-?\d{1,18}$/.test(value) ? Number(value) : value
  if (!Number.isInteger(number)) wrong('expected integer', path)
  return number
}

export function bytesAt(value: Json, path: string): string {
  const text = textAt(value, path)
  if (Buffer.from(text, 'base64').toString('base64') !== text) wrong('expected base64', path)
  return text
}

export function optional<T>(value: Json, path: string, decode: Decode<T>): T | undefined {
  return value === undefined || value === null ? undefined : decode(value, path)
}

export function listAt<T>(value: Json, path: string, decode: Decode<T>): T[] {
  if (value === undefined) return []
  if (!Array.isArray(value)) wrong('expected list', path)
  return value.map((each: Json, index: number) => decode(each, `${path}[${index}]`))
}

export function oneOfAt(value: Json, path: string): readonly [variant: string, content: Json] {
  if (value === undefined) return ['Empty', {}]
  const entries = Object.entries(objectAt(value, path))
  const [first] = entries
  if (first === undefined || entries.length > 1) wrong('expected one variant', path)
  return first as [string, Json]
}

export function noVariant(variant: string, path: string): never {
  return wrong(`unknown variant ${variant}`, path)
}

export function referenceAt(value: Json, path: string): string {
  const text = textAt(value, path)
  if (text.split(':').length !== 3) wrong('expected package:Module:Entity', path)
  return text
}

/** Reads one of `words`. Null is accepted as undefined, but a missing value is an error. */
export function enumAt<T extends string>(value: Json, path: string, words: readonly T[]): T | undefined {
  if (value === null) return undefined
  if (!words.includes(value)) wrong('unknown value of an enumeration', path)
  return value
}
