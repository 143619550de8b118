import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { CallerLeft } from '../../base/lib/body-bytes.ts'
import type { Logger } from '../../base/telemetry/logger.ts'
import type { Encoded } from './encoded.ts'
import type { openApiDocument } from './openapi.ts'
import { requestIdOf, traceParentOf } from './request.ts'
import { type Headers, isUnchanged } from './respond.ts'
import type { JsonReply } from './routes/about.ts'
import type { LedgerApiAnswer } from './routes/ledger-operations.ts'
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
  // The parts go directly to Node's response: the body of a `Response` must be bytes, and
  // converting many megabytes of strings per second would burden the garbage collector.
  c.env.outgoing.writeHead(200, headers)
  const { outgoing } = c.env
  sendParts(answer, outgoing).catch((error: unknown) => {
    if (error instanceof CallerLeft) return
    const requestId = requestIdOf(c.env.incoming.headers)
    logger.warn({ requestId, err: error }, 'an answer of the ledger was broken off')
  })
  return alreadySent()
}

/** @throws CallerLeft */
export async function sendParts(parts: AsyncIterable<string>, outgoing: ServerResponse): Promise<void> {
  try {
    await pipeline(parts, outgoing)
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE' ? new CallerLeft() : error
  }
}

/**
 * The header tells `@hono/node-server` that the answer was sent. That package looks for the header
 * only in Node's own `Response`, which `clone()` returns, and not in its lighter replacement.
 */
function alreadySent(): Response {
  return new Response(null, { headers: { 'x-hono-already-sent': 'true' } }).clone()
}

export function jsonResponse({ status, body }: JsonReply, c: RouteContext, common: Headers): Response {
  const headers: Headers = { ...common, ...identity(c.env.incoming), 'cache-control': 'no-store' }
  if (body === undefined)
    return new Response(null, { status, headers: { ...headers, 'content-length': '0' } })
  return new Response(JSON.stringify(body), {
    status,
    headers: { ...headers, 'content-type': 'application/json' },
  })
}

const descriptionHeaders: Headers = { 'cache-control': 'no-cache', 'content-type': 'application/json' }

type DescriptionHandler = (c: RouteContext) => Promise<Response>

export function descriptionHandlers(
  ...of: Parameters<typeof openApiDocument>
): Readonly<Record<'description' | 'page' | 'script', DescriptionHandler>> {
  const described = loadedOnce(async () => {
    const [{ openApiDocument }, { encode }] = await Promise.all([
      import('./openapi.ts'),
      import('./encoded.ts'),
    ])
    return encode(JSON.stringify(openApiDocument(...of)))
  })
  const reference = loadedOnce(() => import('./api-reference.ts'))
  const script = loadedOnce(async () => (await reference()).loadReferenceScript())
  return {
    description: async (c) => sentEncoded(await described(), descriptionHeaders, c),
    page: async () => {
      const { referencePage, referencePageHeaders } = await reference()
      return new Response(referencePage, { headers: referencePageHeaders })
    },
    script: async (c) => sentEncoded(await script(), (await reference()).referenceScriptHeaders, c),
  }
}

function loadedOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined
  return () => {
    loaded ??= load().catch((error: unknown) => {
      loaded = undefined
      throw error
    })
    return loaded
  }
}

async function sentEncoded(encoded: Encoded, own: Headers, c: RouteContext): Promise<Response> {
  const { encodedFor } = await import('./encoded.ts')
  const { body, headers } = await encodedFor(encoded, c.req.header('accept-encoding'))
  if (isUnchanged(c.req.header('if-none-match'), { status: 200, etag: encoded.etag.slice(2) }))
    return new Response(null, { status: 304, headers: { ...own, ...headers } })
  return new Response(body, { headers: { ...own, ...headers, 'content-length': String(body.length) } })
}

export function wantsPage(c: RouteContext): boolean {
  return /\btext\/html\b/i.test(c.req.header('accept') ?? '')
}

export function withCommon(response: Response, c: RouteContext, common: Headers): Response {
  for (const [name, value] of Object.entries({ ...common, ...identity(c.env.incoming) }))
    response.headers.set(name, value)
  return response
}

export function identity({ headers }: IncomingMessage): Headers {
  return { 'x-request-id': requestIdOf(headers), traceparent: traceParentOf(headers) }
}

export const spliceCrossOriginMethods: readonly string[] = ['DELETE', 'GET', 'POST']

export function preflight(c: RouteContext, common: Headers, methods: ReadonlySet<string>): Headers {
  const asked = c.req.header('access-control-request-headers')
  const headers: Headers = {
    ...common,
    'access-control-allow-methods': [...methods, 'HEAD', 'OPTIONS'].join(', '),
    'access-control-max-age': '1800',
    'content-length': '0',
  }
  if (asked !== undefined && /^[\w\-, ]*$/.test(asked)) headers['access-control-allow-headers'] = asked
  return headers
}
