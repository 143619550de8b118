import type { IncomingHttpHeaders } from 'node:http'
import { SpliceError } from '../errors/splice.ts'
import type { Params, Read } from '../reads/read.ts'

/** The path of a request target as it was sent, still encoded, and its query. */
export function splitTarget(url: string): { readonly path: string; readonly query: string } {
  const start = url.indexOf('/', url.indexOf('://') + 3)
  const end = url.indexOf('?', start)
  return end === -1
    ? { path: url.slice(start), query: '' }
    : { path: url.slice(start, end), query: url.slice(end + 1) }
}

/**
 * A read's parameters from a request target, checked before anything is asked.
 * @param template the path as mounted, with `{name}` for each path parameter.
 * @throws SpliceError 400 or 404, in Splice's words.
 */
export function parseParams(read: Read, template: string, url: string): Params {
  const params: Record<string, string> = {}
  if (read.params.length === 0) return params
  const { path, query } = splitTarget(url)
  for (const param of read.params) {
    const given = param.in === 'path' ? segmentOf(template, path, param.name) : queryValue(query, param.name)
    if (given !== undefined) params[param.name] = param.parse(given)
    else if (param.required) throw new SpliceError('missingQueryParameter', { name: param.name })
  }
  return params
}

const madeIds = { prefix: crypto.randomUUID().slice(0, 18), count: 0 }
const requestId = /^[\w.:/+=-]{1,128}$/
const traceParent = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/
const traceSeed = crypto.randomUUID().replaceAll('-', '').slice(0, 20)

/** The caller's request id where it sent a decent one, else a new one. */
export function requestIdOf(headers: IncomingHttpHeaders): string {
  const given = headers['x-request-id']
  if (typeof given === 'string' && requestId.test(given)) return given
  return `${madeIds.prefix}${(++madeIds.count).toString(36)}`
}

/** The caller's W3C trace context where it sent one, else a new one. */
export function traceParentOf(headers: IncomingHttpHeaders): string {
  const given = headers['traceparent']
  if (typeof given === 'string' && traceParent.test(given)) return given
  const count = (++madeIds.count).toString(16).padStart(12, '0')
  return `00-${traceSeed}${count}-${traceSeed.slice(0, 4)}${count}-00`
}

function segmentOf(template: string, path: string, name: string): string {
  const at = template.split('/').indexOf(`{${name}}`)
  return decode(path.split('/')[at] ?? '', name)
}

/** The first value, as Splice's server takes it. */
function queryValue(query: string, name: string): string | undefined {
  for (const pair of query.split('&')) {
    const equals = pair.indexOf('=')
    const key = equals === -1 ? pair : pair.slice(0, equals)
    if (key === name) return decode((equals === -1 ? '' : pair.slice(equals + 1)).replaceAll('+', ' '), name)
  }
  return undefined
}

function decode(text: string, name: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    throw new SpliceError('malformedText', { name, why: 'its percent-encoding is not UTF-8' })
  }
}
