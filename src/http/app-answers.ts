import type { IncomingMessage } from 'node:http'
import { CallerLeft } from '../lib/body-bytes.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { Headers } from './headers.ts'
import type { openApiDocument } from './openapi.ts'
import { sendParts } from './parts.ts'
import { requestIdOf, traceParentOf } from './request.ts'
import type { Said } from './routes/about.ts'
import type { LedgerApiAnswer } from './routes/ledger-api.ts'
import type { RouteContext } from './routes/route.ts'

export function ledgerAnswer(
  answer: LedgerApiAnswer,
  c: RouteContext,
  common: Headers,
  logger: Logger,
): Response {
  const headers = {
    ...common,
    ...identity(c.env.incoming),
    'cache-control': 'no-store',
    'content-type': 'application/json',
  }
  if (typeof answer === 'string') return new Response(answer, { headers })
  // Bypasses `Response`, which takes bytes only: converting many megabytes per second would burden the
  // garbage collector.
  c.env.outgoing.writeHead(200, headers)
  const { outgoing } = c.env
  sendParts(answer, outgoing).catch((error: unknown) => {
    if (!(error instanceof CallerLeft)) logger.warn({ err: error }, 'an answer of the ledger was broken off')
  })
  return alreadySent()
}

/** `@hono/node-server` looks for this header only in a real `Response`. `clone()` creates one. */
export function alreadySent(): Response {
  return new Response(null, { headers: { 'x-hono-already-sent': 'true' } }).clone()
}

export function said({ status, body }: Said, c: RouteContext, common: Headers): Response {
  const headers: Headers = { ...common, ...identity(c.env.incoming), 'cache-control': 'no-store' }
  if (body === undefined)
    return new Response(null, { status, headers: { ...headers, 'content-length': '0' } })
  return new Response(JSON.stringify(body), {
    status,
    headers: { ...headers, 'content-type': 'application/json' },
  })
}

export const jsonHeaders: Headers = { 'cache-control': 'no-store', 'content-type': 'application/json' }

/** Headers of a page that loads nothing and runs no script. */
export const pageHeaders: Headers = {
  'cache-control': 'no-cache',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'",
  'content-type': 'text/html; charset=utf-8',
  'x-content-type-options': 'nosniff',
}

interface Description {
  readonly json: string
  readonly page: string
}

/**
 * Builds the API description at the first request and keeps it, because building costs more than a thousand cache hits.
 */
export function describedOnce(...of: Parameters<typeof openApiDocument>): () => Promise<Description> {
  let described: Promise<Description> | undefined
  return () => {
    described ??= describe(...of)
    return described
  }
}

async function describe(...of: Parameters<typeof openApiDocument>): Promise<Description> {
  const [{ openApiDocument }, { docsPage }] = await Promise.all([
    import('./openapi.ts'),
    import('./docs-page.ts'),
  ])
  const document = openApiDocument(...of)
  return { json: JSON.stringify(document), page: docsPage(document) }
}

export function sent(body: string, own: Headers, c: RouteContext, common: Headers): Response {
  return new Response(body, { headers: { ...common, ...identity(c.env.incoming), ...own } })
}

export function identity({ headers }: IncomingMessage): Headers {
  return { 'x-request-id': requestIdOf(headers), traceparent: traceParentOf(headers) }
}

export function preflight(c: RouteContext, common: Headers): Headers {
  const asked = c.req.header('access-control-request-headers')
  const headers: Headers = {
    ...common,
    'access-control-allow-methods': 'DELETE, GET, POST, HEAD, OPTIONS',
    'access-control-max-age': '1800',
    'content-length': '0',
  }
  if (asked !== undefined && /^[\w\-, ]*$/.test(asked)) headers['access-control-allow-headers'] = asked
  return headers
}
