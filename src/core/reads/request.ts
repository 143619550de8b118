import { fillTemplate } from '../../base/errors/fill-template.ts'
import type { PlainParam } from './param-text.ts'
import type { Params, Question } from './read.ts'

export interface Upstream {
  readonly method: 'GET' | 'POST'
  /**
   * The path relative to the scan's base URL, percent-encoded, with its query:
   * `/api/scan/v0/dso-party-id`.
   */
  readonly path: string
  /** The paths at which scans of older releases take the same request, the newest first. */
  readonly olderPaths?: readonly string[]
  readonly body?: string
  /**
   * The maximum size of the response's body after decoding. A longer body makes the request fail as
   * `oversized`.
   */
  readonly maxBytes: number
}

export function upstreamOf({ read, params }: Question): Upstream {
  const { method, base = '/api/scan', forms } = read
  const [path, ...olderPaths] = (forms?.paths ?? [read.scanPath]).map(
    (template) => `${base}${filledPath(template, read.params, params)}`,
  ) as [string, ...string[]]
  const body = read.body === undefined ? read.upstreamBody : params[bodyParam]
  return {
    method,
    path,
    maxBytes: read.maxBytes,
    ...(olderPaths.length > 0 && { olderPaths }),
    ...(body !== undefined && { body }),
  }
}

export const bodyParam = 'body'

/**
 * The minimum average size of an element or field of a reply, in bytes, beyond the first
 * `freeElements`.
 */
const leastBytesEach = 8
/** The number of elements and fields that even a short reply may have. */
const freeElements = 1_024
const mostElements = 1_048_576

/**
 * Returns the maximum number of elements and fields of a reply with `length` bytes. The limit
 * bounds the cost of parsing many tiny elements.
 */
export function maxElementsOf({ read, params }: Question, length: number): number {
  const ofRow = read.maxElements?.(params) ?? Math.ceil(read.maxBytes / (2 * leastBytesEach))
  return Math.min(ofRow, mostElements, freeElements + Math.ceil(length / leastBytesEach))
}

/**
 * A text of a 404 that means absence. If `isOpen` is true, longer texts that begin with it mean
 * absence too, except known abstentions (`isKnownAbstention`).
 */
export interface AbsentText {
  readonly text: string
  readonly isOpen: boolean
}

export function absentTextsOf({ read, params }: Question, added: readonly string[]): readonly AbsentText[] {
  return [...read.absent, ...added].map((template) => {
    const isOpen = template.endsWith('*')
    return { text: fillTemplate(isOpen ? template.slice(0, -1) : template, params), isOpen }
  })
}

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

export function textsOf(list: string): readonly string[] {
  return JSON.parse(list)
}

/**
 * Encodes a path segment, also `.` and `..`, which a proxy on the way to a scan could resolve as
 * relative paths.
 */
function encodeSegment(text: string): string {
  return text === '.' || text === '..' ? text.replaceAll('.', '%2E') : encodeURIComponent(text)
}
