import type { HttpBindings } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import type { Verifier } from '../auth/verifier.ts'
import { SpliceError } from '../errors/splice.ts'
import type { Clock } from '../lib/clock.ts'
import type { Reader } from '../scan/reader.ts'
import type { Events } from '../telemetry/events.ts'
import type { Logger } from '../telemetry/logger.ts'
import { commonHeaders, type Headers, type Surroundings } from './envelope.ts'
import { createHits } from './hit.ts'
import { MissBudget } from './middleware/misses.ts'
import { openApiDocument } from './openapi.ts'
import { problem } from './problem.ts'
import { requestIdOf, targetOf, traceParentOf } from './request.ts'
import { Responder } from './respond.ts'
import { type About, aboutPaths, type Said } from './routes/about.ts'
import { honoPath, type Mount, mounts } from './routes/mounts.ts'
import { readRoute } from './routes/reads.ts'
import { type LedgerRoute, withoutLedger } from './routes/route.ts'
import type { Shortcut } from './server.ts'

type Env = { Bindings: HttpBindings }
type Handler = (c: Context<Env>) => Response | Promise<Response>
type Serve = (method: LedgerRoute['method'], template: string, route: string, handler: Handler) => void

export interface AppOptions {
  readonly network: Surroundings['network']
  /** Cache misses a second and client address; undefined: no limit. */
  readonly missesPerSecond: number | undefined
}

export interface AppDeps {
  readonly reader: Pick<Reader, 'peek' | 'peeker' | 'read'>
  /** Set where the scan proxy's paths need a token. */
  readonly verifier: Verifier | undefined
  /** The registry's and the wallet's paths; undefined where there is no ledger behind them. */
  readonly ledgerRoutes: readonly LedgerRoute[] | undefined
  readonly about: About
  readonly clock: Clock
  readonly events: Events
  readonly logger: Logger
}

/** The public API, in the order in which it stands here. */
export function createApp(options: AppOptions, deps: AppDeps): Hono<Env> {
  const app = new Hono<Env>()
  const common = commonHeaders({ network: options.network, isPrivate: false })
  const methods = new Map<string, string[]>()
  const serve: Serve = (method, template, route, handler) => {
    app.on(method, honoPath(template), observed(route, handler, deps, common))
    methods.set(template, [...(methods.get(template) ?? []), method])
  }
  app.options('*', (c) => new Response(null, { status: 200, headers: preflight(c, common) }))
  serveReads(serve, options, deps)
  const ledgerRoutes = deps.ledgerRoutes ?? withoutLedger
  for (const { method, path, id, handler } of ledgerRoutes) {
    serve(method, path, id, async (c) => said(await handler(c), c, common))
  }
  for (const { path, say } of aboutPaths) {
    serve('GET', path, path.slice(path.lastIndexOf('/') + 1), (c) =>
      said(say(deps.about, targetOf(c.req.url).query), c, common),
    )
  }
  serve('GET', '/openapi.json', 'openapi', (c) =>
    said({ status: 200, body: openApiDocument(deps.about.version, ledgerRoutes) }, c, common),
  )
  for (const [template, allowed] of methods) {
    app.all(
      honoPath(template),
      observed('unknown', () => refuseMethod(allowed), deps, common),
    )
  }
  app.notFound(observed('unknown', refusePath, deps, common))
  return app
}

/** What is answered ahead of the public API: hits of the reads that need no token. */
export function createShortcut({ network }: AppOptions, deps: AppDeps): Shortcut {
  const { reader, clock, events } = deps
  const open = mounts.filter((mount) => mount.method === 'GET' && !needsToken(mount, deps))
  const responder = new Responder({ network, isPrivate: false }, clock)
  return createHits(open, { reader, clock, responder, eventsOf: ({ read }) => events.forRoute(read.id) })
}

function serveReads(serve: Serve, { network, missesPerSecond }: AppOptions, deps: AppDeps): void {
  const budget = new MissBudget(missesPerSecond, deps.clock)
  for (const mount of mounts) {
    const verifier = needsToken(mount, deps) ? deps.verifier : undefined
    const responder = new Responder({ network, isPrivate: verifier !== undefined }, deps.clock)
    const handler = readRoute(mount, {
      reader: deps.reader,
      budget,
      verifier,
      responder,
      logger: deps.logger,
    })
    serve(mount.method, mount.template, mount.read.id, handler)
  }
}

function needsToken({ surface }: Mount, { verifier }: AppDeps): boolean {
  return surface === 'proxy' && verifier !== undefined
}

/** Counts and times a route, and turns what it throws into an error that callers understand. */
function observed(
  route: string,
  handler: Handler,
  { clock, events, logger }: AppDeps,
  common: Headers,
): Handler {
  const told = events.forRoute(route)
  return async (c) => {
    const started = clock.now()
    let response: Response
    try {
      response = await handler(c)
    } catch (error) {
      response = refused(error, c, logger, events, common)
    }
    told.served(c.req.method, response.status, (clock.now() - started) / 1000)
    return response
  }
}

/** nginx's word for a caller that left before its answer; nobody reads it. */
const callerLeft = 499

function refused(error: unknown, c: Context<Env>, logger: Logger, events: Events, common: Headers): Response {
  if (!(error instanceof SpliceError)) {
    if (c.req.raw.signal.aborted) return new Response(null, { status: callerLeft })
    logger.error({ err: error }, 'a request failed for no reason that is known')
  } else if (error.code === 'tooManyMisses') events.missLimited()
  return problem(error, { ...common, ...identity(c) })
}

function refuseMethod(allowed: readonly string[]): never {
  const allow = allowed.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method))
  throw new SpliceError(
    'methodNotAllowed',
    { methods: allowed.join(', ') },
    { allow: [...allow, 'OPTIONS'].join(', ') },
  )
}

function refusePath(c: Context<Env>): never {
  throw new SpliceError('unknownPath', { uri: c.req.url })
}

function said({ status, body }: Said, c: Context<Env>, common: Headers): Response {
  const headers: Headers = { ...common, ...identity(c), 'cache-control': 'no-store' }
  if (body === undefined)
    return new Response(null, { status, headers: { ...headers, 'content-length': '0' } })
  return new Response(JSON.stringify(body), {
    status,
    headers: { ...headers, 'content-type': 'application/json' },
  })
}

function identity(c: Context<Env>): Headers {
  const { headers } = c.env.incoming
  return { 'x-request-id': requestIdOf(headers), traceparent: traceParentOf(headers) }
}

function preflight(c: Context<Env>, common: Headers): Headers {
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
