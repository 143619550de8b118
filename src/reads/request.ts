import { fillTemplate } from '../errors/splice.ts'
import { bytes, type Size } from '../lib/bytes.ts'
import type { PlainParam } from './param-text.ts'
import type { Params, Question, Read } from './read.ts'

/** The request that every scan gets for one read. It is the same for every caller. */
export interface Upstream {
  readonly method: 'GET' | 'POST'
  /** The path below the scan's base URL, with the query. */
  readonly path: string
  readonly body?: string
  readonly maxBytes: number
}

export function upstreamOf({ read, params }: Question): Upstream {
  const { method, base = '/api/scan' } = read
  const path = `${base}${filledPath(read.scanPath, read.params, params)}`
  const request = { method, path, maxBytes: maxBytesOf(read) }
  const body = read.body === undefined ? read.upstreamBody : params[bodyParam]
  return body === undefined ? request : { ...request, body }
}

/** The name of the parameter that holds the request body. */
export const bodyParam = 'body'

/** A text has on average at least this many bytes for each of its elements and members. */
const leastBytesEach = 8
/** An extra allowance, because short texts may be dense. */
const freeElements = 1_024
/** Twice the number in a full page of updates. */
const mostElements = 1_048_576

/**
 * The maximum number of elements and members in a reply of `length` bytes: at most the row's limit (by default one for
 * each 16 bytes of `maxBytes`), and at most one for each 8 bytes of the reply plus `freeElements`.
 */
export function maxElementsOf({ read, params }: Question, length: number): number {
  const ofRow = read.maxElements?.(params) ?? Math.ceil(maxBytesOf(read) / (2 * leastBytesEach))
  return Math.min(ofRow, mostElements, freeElements + Math.ceil(length / leastBytesEach))
}

/** Parsed size limits, because a row has its limit as a text. */
const limits = new Map<Size, number>()

function maxBytesOf({ maxBytes }: Read): number {
  const known = limits.get(maxBytes)
  if (known !== undefined) return known
  const limit = bytes(maxBytes)
  limits.set(maxBytes, limit)
  return limit
}

/** A 404 text that means absence: exactly this text or, if it is open, any text with this beginning. */
export interface AbsentText {
  readonly text: string
  readonly isOpen: boolean
}

/** The 404 texts that mean absence, for these parameters. */
export function absentTextsOf({ read, params }: Question, added: readonly string[]): readonly AbsentText[] {
  return [...read.absent, ...added].map((template) => {
    const isOpen = template.endsWith('*')
    return { text: fillTemplate(isOpen ? template.slice(0, -1) : template, params), isOpen }
  })
}

/** Puts the parameters into the path, in place of `{name}`, and into the query. */
export function filledPath(
  template: string,
  given: readonly Pick<PlainParam, 'name' | 'in' | 'list'>[],
  params: Params,
): string {
  let path = template
  const query: string[] = []
  for (const { name, in: place, list } of given) {
    const value = params[name]
    if (value === undefined) continue
    if (place === 'path') path = path.replace(`{${name}}`, () => encodeSegment(value))
    else if (list === undefined) query.push(`${name}=${encodeURIComponent(value)}`)
    else for (const each of textsOf(value)) query.push(`${name}=${encodeURIComponent(each)}`)
  }
  return query.length === 0 ? path : `${path}?${query.join('&')}`
}

/** The texts of a parameter that a query may repeat. */
export function textsOf(list: string): readonly string[] {
  return JSON.parse(list)
}

/** Also encodes `.` and `..`, because URL parsers would resolve them as relative paths. */
function encodeSegment(text: string): string {
  return text === '.' || text === '..' ? text.replaceAll('.', '%2E') : encodeURIComponent(text)
}
