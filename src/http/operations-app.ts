import type { IncomingMessage } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { SpliceError } from '../errors/splice.ts'
import { browserGuard } from '../lib/browser-guard.ts'
import { type Admin, adminApp, type RefusedCall } from './admin.ts'
import { readBytes } from './body.ts'
import { type Pruning, pruneAnswer } from './prune.ts'
import { type Readiness, readyStatus } from './readiness.ts'
import { honoPath } from './routes/mounts.ts'
import type { PlainRoute } from './routes/route.ts'
import { requireKnown, type SentQuery } from './sent-query.ts'

export interface Operations extends Readiness {
  readonly allowedHosts: readonly string[]
  readonly metrics: (
    accept: string | undefined,
  ) => Promise<{ readonly contentType: string; readonly body: string }>
  readonly status: () => unknown
  readonly evidence: (query: SentQuery) => unknown
  readonly pruning: Pruning
  readonly admin: Admin | undefined
  readonly adminCallRefused: RefusedCall
  readonly page: readonly PlainRoute[]
}

const longestPrune = 4_096

/**
 * Serves the address of operations. It sends no CORS headers, and `browserGuard` rejects requests
 * from pages of other sites.
 */
export function createOperationsApp(operations: Operations): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>()
  const guard = browserGuard(operations.allowedHosts)
  app.use(async (c, next) => {
    const refusal = guard(c.env.incoming)
    return refusal === undefined ? next() : c.json({ error: refusal.error }, refusal.status)
  })
  app.get('/metrics', async (c) => {
    const { contentType, body } = await operations.metrics(c.req.header('accept'))
    return c.body(body, 200, { 'content-type': contentType })
  })
  app.get('/livez', (c) => c.body(null, 200))
  app.get('/readyz', (c) => c.body(null, readyStatus(operations, new URLSearchParams(c.req.query()))))
  app.get('/status', (c) => {
    requireKnown(c.req.queries(), [], '/status has none')
    return c.json(operations.status())
  })
  app.get('/evidence', (c) => c.json(operations.evidence(c.req.queries())))
  app.post('/prune', async (c) => {
    const { incoming } = c.env
    const call = { from: incoming.socket.remoteAddress, body: () => textOf(incoming) }
    const { status, body } = await pruneAnswer(operations.pruning, call)
    return c.json(body, status)
  })
  app.route('/admin', adminApp(operations.admin, operations.adminCallRefused))
  for (const { method, path, handler } of operations.page) app.on(method, honoPath(path), handler)
  app.notFound((c) => c.json({ error: `The requested resource could not be found: ${c.req.url}` }, 404))
  app.onError((error, c) =>
    error instanceof SpliceError
      ? c.json({ error: error.message }, error.status as ContentfulStatusCode)
      : c.json({ error: 'An unexpected error occurred.' }, 500),
  )
  return app
}

async function textOf(request: IncomingMessage): Promise<string> {
  return (await readBytes(request, longestPrune)).toString()
}
