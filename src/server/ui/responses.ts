import { constants, createGzip, type Gzip, gzipSync } from 'node:zlib'
import { takesGzip } from '../../base/lib/accepted-codings.ts'
import type { PlainRoute, RouteContext } from '../http/routes/route.ts'

export class Compressible {
  readonly #content: string | Buffer<ArrayBuffer>
  #zipped: Buffer<ArrayBuffer> | undefined

  constructor(content: string | Buffer<ArrayBuffer>) {
    this.#content = content
  }

  for(acceptEncoding: string | undefined) {
    if (!takesGzip(acceptEncoding)) return { body: this.#content, headers: { vary: 'accept-encoding' } }
    this.#zipped ??= gzipSync(this.#content)
    return { body: this.#zipped, headers: { vary: 'accept-encoding', 'content-encoding': 'gzip' } }
  }
}

/**
 * The flush after every write lets the browser decompress each event at once. The small window
 * keeps the memory of each stream at about 48 KiB.
 */
export function streamingGzip(): Gzip {
  return createGzip({ flush: constants.Z_SYNC_FLUSH, windowBits: 14, memLevel: 5 })
}

const contentSecurityPolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'self'",
  "frame-ancestors 'none'",
].join('; ')

/** These headers are for responses that are made for one request only: no cache may store them. */
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

export function pageResponse(c: RouteContext, page: string | Compressible, said: Status = {}): Response {
  return compressed(c, page, { ...said, headers: { ...pageHeaders, ...said.headers } })
}

export function jsonResponse(c: RouteContext, value: unknown): Response {
  const headers = { ...unkept, 'content-type': 'application/json' }
  return compressed(c, JSON.stringify(value), { headers })
}

export function textResponse(c: RouteContext, text: string, status: number): Response {
  const headers = { ...unkept, 'content-type': 'text/plain; charset=utf-8' }
  return compressed(c, text, { status, headers })
}

export function compressed(c: RouteContext, given: string | Compressible, said: Status): Response {
  const text = typeof given === 'string' ? new Compressible(given) : given
  const { body, headers } = text.for(c.req.header('accept-encoding'))
  return new Response(body, { status: said.status ?? 200, headers: { ...said.headers, ...headers } })
}

/**
 * The status 303 makes the browser load `location` by GET, so that a reload does not send a form
 * again.
 */
export function seeOther(location: string): Response {
  return new Response(null, { status: 303, headers: { ...unkept, location } })
}

/**
 * A form is answered with a redirect, so that a reload does not send the form again. A GET of its path
 * leads back to its page.
 * @param act returns an address relative to the page.
 */
export function formRoutes(
  path: string,
  page: string,
  act: (c: RouteContext) => Promise<string>,
): readonly PlainRoute[] {
  const back = (address: string) => seeOther(address.replace(/^(\.\/)?/, '../'))
  return [
    { method: 'POST', path, id: 'pageForm', handler: async (c) => back(await act(c)) },
    { method: 'GET', path, id: 'pageForm', handler: () => back(page) },
  ]
}
