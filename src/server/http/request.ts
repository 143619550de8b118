import type { IncomingHttpHeaders } from 'node:http'
import { SpliceError } from '../../base/errors/splice.ts'
import type { Param } from '../../core/reads/endpoint.ts'
import type { Params, Read } from '../../core/reads/read.ts'

/** The path and the query as the caller sent them, still percent-encoded. */
export interface RequestTarget {
  readonly path: string
  readonly query: string
}

export function splitTarget(target: string): RequestTarget {
  const end = target.indexOf('?')
  return end === -1
    ? { path: target, query: '' }
    : { path: target.slice(0, end), query: target.slice(end + 1) }
}

const versionedPath = /^\/+(?:api\/+(?:scan|validator)\/+)?v\d/

/**
 * Removes empty segments, and a slash at the end, from a path below `/v0`, `/v2` and the like, as
 * Canton's HTTP server does: `//v2/updates/` becomes `/v2/updates`.
 */
export function withoutEmptySegments(target: string): string {
  if (!target.includes('//') && !target.endsWith('/') && !target.includes('/?')) return target
  const { path } = splitTarget(target)
  if (!versionedPath.test(path)) return target
  return path.replaceAll(/\/+/g, '/').replace(/\/$/, '') + target.slice(path.length)
}

export function targetOf(url: string): RequestTarget {
  return splitTarget(url.slice(url.indexOf('/', url.indexOf('://') + 3)))
}

/**
 * Returns a function that reads and checks the parameters of a request. It throws a SpliceError
 * (400 or 404) with Splice's error text if one is missing or invalid.
 * @param template the path that the daemon serves, with `{name}` for each path parameter.
 */
export function paramsReader(read: Read, template: string): (target: RequestTarget) => Params {
  const segments = template.split('/')
  const takers = read.params.map((param) => takerOf(param, segments.indexOf(`{${param.name}}`)))
  if (takers.length === 0) return () => ({})
  return (target) => {
    const params: Record<string, string> = {}
    for (const take of takers) take(target, params)
    return params
  }
}

function takerOf(
  param: Param,
  segment: number,
): (target: RequestTarget, params: Record<string, string>) => void {
  const { name, parse, required } = param
  if (param.list) return listTakerOf(param)
  const find =
    param.in === 'path'
      ? ({ path }: RequestTarget) => decode(segmentAt(path, segment), name)
      : ({ query }: RequestTarget) => queryValue(query, name)
  return (target, params) => {
    const given = find(target)
    if (given !== undefined) params[name] = parse(given)
    else if (required) throw new SpliceError('missingQueryParameter', { name })
  }
}

function listTakerOf({ name, parse, required }: Param) {
  return ({ query }: RequestTarget, params: Record<string, string>) => {
    const given = new Set(queryValues(query, name).map(parse))
    if (given.size > 0) params[name] = JSON.stringify([...given].sort())
    else if (required) throw new SpliceError('missingQueryParameter', { name })
  }
}

const madeIds = { prefix: crypto.randomUUID().slice(0, 18), count: 0 }
const requestId = /^[\w.:/+=-]{1,128}$/
const traceParent = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/
const traceSeed = crypto.randomUUID().replaceAll('-', '').slice(0, 20)

/**
 * If the caller sent no usable id, makes one and adds it to `headers`, so that the answer and all
 * log lines have the same id.
 */
export function requestIdOf(headers: IncomingHttpHeaders): string {
  const given = headers['x-request-id']
  if (typeof given === 'string' && requestId.test(given)) return given
  const made = `${madeIds.prefix}${(++madeIds.count).toString(36)}`
  headers['x-request-id'] = made
  return made
}

export function callerTraceOf(headers: IncomingHttpHeaders): string | undefined {
  const given = headers['traceparent']
  return typeof given === 'string' && traceParent.test(given) ? given : undefined
}

export function traceParentOf(headers: IncomingHttpHeaders): string {
  const given = callerTraceOf(headers)
  if (given !== undefined) return given
  const count = (++madeIds.count).toString(16).padStart(12, '0')
  return `00-${traceSeed}${count}-${traceSeed.slice(0, 4)}${count}-00`
}

function segmentAt(path: string, number: number): string {
  let start = 0
  for (let slash = 0; slash < number; slash++) start = path.indexOf('/', start) + 1
  const end = path.indexOf('/', start)
  return end === -1 ? path.slice(start) : path.slice(start, end)
}

/** If a parameter is repeated, its first value counts, as in Splice's server. */
function queryValue(query: string, name: string): string | undefined {
  const pair = query.split('&').find((each) => nameIn(each) === name)
  return pair === undefined ? undefined : decodedValue(pair, name)
}

function queryValues(query: string, name: string): readonly string[] {
  return query
    .split('&')
    .filter((pair) => nameIn(pair) === name)
    .map((pair) => decodedValue(pair, name))
}

function nameIn(pair: string): string {
  const equals = pair.indexOf('=')
  const name = equals === -1 ? pair : pair.slice(0, equals)
  if (!name.includes('%')) return name
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

function decodedValue(pair: string, name: string): string {
  const equals = pair.indexOf('=')
  return decode((equals === -1 ? '' : pair.slice(equals + 1)).replaceAll('+', ' '), name)
}

function decode(text: string, name: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    throw new SpliceError('malformedText', { name, why: 'its percent-encoding is not UTF-8' })
  }
}
