import { fillTemplate } from '../errors/fill-template.ts'
import { bytes, type Size } from '../lib/bytes.ts'
import type { PlainParam } from './param-text.ts'
import type { Params, Question, Read } from './read.ts'

/** The request for a question, as the daemon sends it to every scan. It is the same for every caller. */
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

/**
 * The minimum average size of an element or field of a reply, in bytes. The first `freeElements` elements may
 * be smaller.
 */
const leastBytesEach = 8
/**
 * The number of elements and fields that a reply of any length may have. A longer reply may have one more for
 * each `leastBytesEach` bytes. Without this number, short replies of many small elements would be rejected.
 */
const freeElements = 1_024
/** The maximum number of elements and fields of any reply. A full page of updates has half as many. */
const mostElements = 1_048_576

/**
 * Returns the maximum number of elements and fields of a reply with `length` bytes: the lowest of three
 * limits.
 * - The limit of the read: `Read.maxElements`, or by default one element for each 16 bytes of `maxBytes`.
 * - `mostElements`.
 * - `freeElements` plus one for each `leastBytesEach` bytes of the reply.
 */
export function maxElementsOf({ read, params }: Question, length: number): number {
  const ofRow = read.maxElements?.(params) ?? Math.ceil(maxBytesOf(read) / (2 * leastBytesEach))
  return Math.min(ofRow, mostElements, freeElements + Math.ceil(length / leastBytesEach))
}

/** The size limits of reads in bytes, by the text of `Read.maxBytes`, so that each text is parsed only once. */
const limits = new Map<Size, number>()

function maxBytesOf({ maxBytes }: Read): number {
  const known = limits.get(maxBytes)
  if (known !== undefined) return known
  const limit = bytes(maxBytes)
  limits.set(maxBytes, limit)
  return limit
}

/**
 * A text of a 404 that means absence. If `isOpen` is true, longer texts that begin with it mean absence too, except
 * known abstentions (`isKnownAbstention`).
 */
export interface AbsentText {
  readonly text: string
  readonly isOpen: boolean
}

/**
 * Returns the texts of a 404 that mean absence for this question.
 * @param added templates in addition to those of the read.
 */
export function absentTextsOf({ read, params }: Question, added: readonly string[]): readonly AbsentText[] {
  return [...read.absent, ...added].map((template) => {
    const isOpen = template.endsWith('*')
    return { text: fillTemplate(isOpen ? template.slice(0, -1) : template, params), isOpen }
  })
}

/** Fills a path template: puts the parameters into the path, in place of `{name}`, and into the query. */
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

/** Returns the single values of a parameter that a query may contain several times. */
export function textsOf(list: string): readonly string[] {
  return JSON.parse(list)
}

/**
 * Encodes a segment of a path. It also encodes `.` and `..`, which a proxy on the way to a scan may otherwise resolve
 * as relative paths.
 */
function encodeSegment(text: string): string {
  return text === '.' || text === '..' ? text.replaceAll('.', '%2E') : encodeURIComponent(text)
}
