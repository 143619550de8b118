import type { IncomingMessage } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { NameService } from '../automation/name-service.ts'
import type { Config } from '../config/resolve.ts'
import { SpliceError } from '../errors/splice.ts'
import { browserGuard } from '../lib/browser-guard.ts'
import { isLoopbackHost } from '../lib/loopback.ts'
import { parseJsonText } from '../lib/parse-json-text.ts'
import type { ReadPath } from '../scan/open.ts'
import type { Events } from '../telemetry/events.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { adminApp } from './admin.ts'
import { readBytes } from './body.ts'
import { readyStatus } from './daemon-state.ts'
import { type StatusSources, statusOf } from './daemon-status.ts'
import { evidenceOf } from './evidence.ts'
import { honoPath } from './routes/mounts.ts'
import type { PlainRoute } from './routes/route.ts'
import { requireKnown } from './sent-query.ts'

export interface OperationsDeps extends StatusSources {
  readonly scan: ReadPath
  readonly names: NameService | undefined
  readonly metrics: Metrics
  readonly logger: Logger
  readonly events: Pick<Events, 'adminCallRefused'>
  readonly page: readonly PlainRoute[]
}

const longestPrune = 4_096

/**
 * Serves the address of operations. It sends no CORS headers, and `browserGuard` rejects requests
 * from pages of other sites.
 */
export function createOperationsApp(config: Config, deps: OperationsDeps): Hono<{ Bindings: HttpBindings }> {
  const { scan, about, metrics, names, logger, realClock } = deps
  const { allowedHosts, admin } = config.operations
  const app = new Hono<{ Bindings: HttpBindings }>()
  const guard = browserGuard(allowedHosts)
  app.use(async (c, next) => {
    const refusal = guard(c.env.incoming)
    return refusal === undefined ? next() : c.json({ error: refusal.error }, refusal.status)
  })
  app.get('/metrics', async (c) => {
    scan.reachability.tell()
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
  const prune = names && ((upTo: number) => names.ledger.prune(upTo))
  app.post('/prune', async (c) => {
    const { incoming } = c.env
    const call = { from: incoming.socket.remoteAddress, body: () => textOf(incoming) }
    const { status, body } = await pruneAnswer({ prune, fromAnywhere: admin, logger }, call)
    return c.json(body, status)
  })
  app.route('/admin', adminApp(admin ? deps : undefined, deps.events.adminCallRefused))
  for (const { method, path, handler } of deps.page) app.on(method, honoPath(path), handler)
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

/**
 * Deletes the updates up to an offset, and resolves with the last deleted offset. That can be lower
 * than `upTo`, because a ledger keeps its last update.
 */
export type Prune = (upTo: number) => Promise<number>

export interface Pruning {
  readonly prune: Prune | undefined
  readonly fromAnywhere: boolean
  readonly logger: Pick<Logger, 'warn'>
}

export interface PruneCall {
  readonly from: string | undefined
  readonly body: () => Promise<string>
}

interface PruneAnswer {
  readonly status: 200 | 400 | 403 | 501
  readonly body: object
}

/** Every call is logged, because pruning cannot be undone. */
export async function pruneAnswer(
  { prune, fromAnywhere, logger }: Pruning,
  { from, body }: PruneCall,
): Promise<PruneAnswer> {
  let upTo: number | undefined
  const tell = (outcome: string, fields = {}) =>
    logger.warn({ from, upTo, outcome, ...fields }, 'an operator prunes the ledger')
  if (!fromAnywhere && !isLoopbackHost(from ?? '')) {
    tell('refused')
    const error = 'Only this machine may prune the ledger unless operations.admin is true.'
    return { status: 403, body: { error } }
  }
  try {
    const text = await body()
    if (prune === undefined) {
      tell('no ledger')
      return { status: 501, body: { error: 'This daemon has no ledger of its own to prune.' } }
    }
    upTo = offsetIn(text)
    if (upTo === undefined) {
      tell('malformed')
      return { status: 400, body: { error: 'The body is no {"upTo": <offset of at least 1>}.' } }
    }
    const prunedUpTo = await prune(upTo)
    tell('pruned', { prunedUpTo })
    return { status: 200, body: { prunedUpTo } }
  } catch (error) {
    tell('failed', { error: String(error) })
    throw error
  }
}

function offsetIn(body: string): number | undefined {
  try {
    const { upTo } = parseJsonText(body) as { readonly upTo?: unknown }
    return typeof upTo === 'number' && Number.isSafeInteger(upTo) && upTo > 0 ? upTo : undefined
  } catch {
    return undefined
  }
}
