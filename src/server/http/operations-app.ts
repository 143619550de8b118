import type { HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { Config } from '../../base/config/resolve.ts'
import { SpliceError } from '../../base/errors/splice.ts'
import { browserGuard } from '../../base/lib/browser-guard.ts'
import type { Events } from '../../base/telemetry/events.ts'
import type { Logger } from '../../base/telemetry/logger.ts'
import type { Metrics } from '../../base/telemetry/metrics.ts'
import type { ReadPath } from '../../core/scan/open.ts'
import type { NameService } from '../../localnet/automation/name-service.ts'
import { adminApp } from './admin.ts'
import { readyStatus } from './daemon-state.ts'
import { type StatusSources, statusOf } from './daemon-status.ts'
import { evidenceOf } from './evidence.ts'
import { honoPath } from './routes/mounts.ts'
import type { PlainRoute, RouteContext } from './routes/route.ts'
import { requireKnown } from './sent-query.ts'

export interface OperationsDeps extends StatusSources {
  readonly scan: ReadPath
  readonly names: NameService | undefined
  readonly metrics: Metrics
  readonly logger: Logger
  readonly events: Pick<Events, 'adminCallRefused' | 'redisState'>
  readonly page: readonly PlainRoute[]
  readonly unknownPage: (c: RouteContext) => Response | undefined
}

/**
 * Serves the address of operations. It sends no CORS headers, and `browserGuard` rejects requests
 * from pages of other sites.
 */
export function createOperationsApp(config: Config, deps: OperationsDeps): Hono<{ Bindings: HttpBindings }> {
  const { scan, about, metrics, realClock } = deps
  const { allowedHosts, admin } = config.operations
  const app = new Hono<{ Bindings: HttpBindings }>()
  const guard = browserGuard(allowedHosts)
  app.use(async (c, next) => {
    const refusal = guard(c.env.incoming)
    return refusal === undefined ? next() : c.json({ error: refusal.error }, refusal.status)
  })
  app.get('/metrics', async (c) => {
    scan.discovery.tellReachability()
    const { contentType, body } = await metrics.scrape(c.req.header('accept'))
    return c.body(body, 200, { 'content-type': contentType })
  })
  app.get('/livez', (c) => c.body(null, 200))
  app.get('/readyz', (c) => c.body(null, readyStatus(about, new URLSearchParams(c.req.query()))))
  app.get('/status', (c) => {
    requireKnown(c.req.queries(), [], '/status has none')
    return c.json(statusOf(config, deps))
  })
  app.get('/evidence', (c) => c.json(evidenceOf(scan, realClock.wall(), c.req.queries())))
  app.route('/admin', adminApp(admin ? deps : undefined, deps.events.adminCallRefused))
  for (const { method, path, handler } of deps.page) app.on(method, honoPath(path), handler)
  app.notFound(
    (c) =>
      deps.unknownPage(c) ??
      c.json({ error: `The requested resource could not be found: ${c.req.url}` }, 404),
  )
  app.onError((error, c) =>
    error instanceof SpliceError
      ? c.json({ error: error.message }, error.status as ContentfulStatusCode)
      : c.json({ error: 'An unexpected error occurred.' }, 500),
  )
  return app
}
