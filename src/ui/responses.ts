import type { RouteContext } from '../http/routes/route.ts'
import { Compressible } from './compressed.ts'

/**
 * The content security policy of the page. The page loads only files from this daemon, and runs no inline
 * scripts or styles. No other page can show it in a frame.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The headers of responses that are made for one request only. No cache may store them. */
export const unkept = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }

const pageHeaders = {
  ...unkept,
  'content-security-policy': contentSecurityPolicy,
  'content-type': 'text/html; charset=utf-8',
  'referrer-policy': 'no-referrer',
}

interface Status {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

/** Responds with HTML, compressed if the browser accepts that. */
export function pageResponse(c: RouteContext, page: string | Compressible, said: Status = {}): Response {
  return compressed(c, page, { ...said, headers: { ...pageHeaders, ...said.headers } })
}

export function jsonResponse(c: RouteContext, value: unknown): Response {
  const headers = { ...unkept, 'content-type': 'application/json' }
  return compressed(c, JSON.stringify(value), { headers })
}

export function textResponse(
  c: RouteContext,
  text: string,
  status: number,
  headers: Status['headers'] = {},
): Response {
  const type = { 'content-type': 'text/plain; charset=utf-8' }
  return compressed(c, text, { status, headers: { ...unkept, ...type, ...headers } })
}

export function compressed(c: RouteContext, given: string | Compressible, said: Status): Response {
  const text = typeof given === 'string' ? new Compressible(given) : given
  const { body, headers } = text.for(c.req.header('accept-encoding'))
  return new Response(body, { status: said.status ?? 200, headers: { ...said.headers, ...headers } })
}

/** Returns the header `retry-after`, in seconds. Returns no header if `retryAfter` is undefined. */
export function later(retryAfter: number | undefined): Record<string, string> {
  return retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }
}

/** Redirects the browser to another page with 303, so that it loads that page by GET. */
export function seeOther(location: string): Response {
  return new Response(null, { status: 303, headers: { ...unkept, location } })
}
