import { fillTemplate } from '../errors/splice.ts'
import { bytes, type Size } from '../lib/bytes.ts'
import type { Params, Read } from './read.ts'

/** What every scan is sent for one read: the same from every caller. */
export interface Upstream {
  readonly method: 'GET' | 'POST'
  /** Below the scan's host root, with its query. */
  readonly path: string
  readonly body?: string
  readonly maxBytes: number
}

export function upstreamOf(read: Read, params: Params): Upstream {
  const request = {
    method: read.method,
    path: `/api/scan${pathOf(read, params)}`,
    maxBytes: maxBytesOf(read),
  }
  return read.upstreamBody === undefined ? request : { ...request, body: read.upstreamBody }
}

/** A row tells its limit as a text. */
const limits = new Map<Size, number>()

function maxBytesOf({ maxBytes }: Read): number {
  const known = limits.get(maxBytes)
  if (known !== undefined) return known
  const limit = bytes(maxBytes)
  limits.set(maxBytes, limit)
  return limit
}

/** The 404 texts that mean absence, for these parameters. */
export function absentTextsOf(read: Read, params: Params, added: readonly string[]): readonly string[] {
  return [...read.absent, ...added].map((template) => fillTemplate(template, params))
}

function pathOf(read: Read, params: Params): string {
  let path = read.scanPath
  const query: string[] = []
  for (const { name, in: place } of read.params) {
    const value = params[name]
    if (value === undefined) continue
    if (place === 'path') path = path.replace(`{${name}}`, () => encodeSegment(value))
    else query.push(`${name}=${encodeURIComponent(value)}`)
  }
  return query.length === 0 ? path : `${path}?${query.join('&')}`
}

/** A segment of dots alone would be taken for a step in the path. */
function encodeSegment(text: string): string {
  return text === '.' || text === '..' ? text.replaceAll('.', '%2E') : encodeURIComponent(text)
}
