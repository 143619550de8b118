import type { IncomingMessage } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import type { Config } from '../../base/config/resolve.ts'
import { CantonError, PlainError, UnknownLedgerPath } from '../../base/errors/canton.ts'
import { RefusedToken } from '../../base/errors/refused-token.ts'
import { SpliceError } from '../../base/errors/splice.ts'
import { bearerIn } from '../../base/lib/bearer.ts'
import { CallerLeft } from '../../base/lib/body-bytes.ts'
import { clientOf } from '../../base/lib/client-address.ts'
import type { Clock } from '../../base/lib/clock.ts'
import type { Events } from '../../base/telemetry/events.ts'
import type { Logger } from '../../base/telemetry/logger.ts'
import type { ReceiptDesk } from '../../receipts/receipt-desk.ts'
import type { Verifier } from '../auth/verifier.ts'
import type { About } from './daemon-state.ts'
import { MissBudget } from './middleware/misses.ts'
import { type Problem, problemOf } from './problem.ts'
import { callerLeftStatus, type ReadLaneDeps, ReadLanes } from './read-lanes.ts'
import { requestIdOf, targetOf } from './request.ts'
import { commonHeaders, type Headers } from './respond.ts'
import { aboutPaths, receiptRoutes } from './routes/about.ts'
import { changesRoute, type MirrorChanges } from './routes/changes.ts'
import { type LedgerApiRoute, withoutLedgerApi } from './routes/ledger-api.ts'
import { deprecatedRoutes } from './routes/ledger-deprecated.ts'
import { honoPath } from './routes/mounts.ts'
import { nodeSpecificRoutes } from './routes/node-specific.ts'
import { type LedgerRoute, type PlainRoute, type RouteContext, withoutLedger } from './routes/route.ts'
import {
  descriptionHandlers,
  identity,
  jsonResponse,
  ledgerAnswer,
  preflight,
  spliceCrossOriginMethods,
  wantsPage,
  withCommon,
} from './send-answer.ts'
import type { Shortcut } from './server.ts'

type Env = { Bindings: HttpBindings }
type Handler = (c: Context<Env>) => Response | Promise<Response>
interface App {
  readonly app: Hono<Env>
  readonly methods: ReadonlyMap<string, readonly string[]>
}

type Serve = (method: LedgerRoute['method'], template: string, route: string, handler: Handler) => void

/** Below this path prefix, errors have Canton's format instead of Splice's. */
const ledgerApi = '/v2/'

export interface AppOptions {
  readonly network: Config['network']
  readonly missesPerSecond: number | undefined
}

type ReceiptCalls = keyof NonNullable<ReadLaneDeps['receipts']> | 'listedKeys' | 'document'

export interface AppDeps {
  readonly reader: ReadLaneDeps['reader']
  readonly verifier: Verifier | undefined
  readonly ledgerRoutes: readonly LedgerRoute[] | undefined
  readonly ledgerApiRoutes: readonly LedgerApiRoute[] | undefined
  readonly receipts?: Pick<ReceiptDesk, ReceiptCalls> | undefined
  readonly about: About
  readonly changes?: MirrorChanges | undefined
  /**
   * Absent if the public address does not serve the page.
   * @param spend takes a cache miss from the budget of a client address, or throws `tooManyMisses`.
   */
  readonly page?: ((spend: (address: string) => void) => readonly PlainRoute[]) | undefined
  /** Answers browsers in place of the error at an unknown path. */
  readonly unknownPage?: ((c: RouteContext) => Response | undefined) | undefined
  readonly clock: Clock
  readonly events: Events
  readonly logger: Logger
}

export interface PublicApi {
  readonly fetch: (request: Request, env: HttpBindings) => Response | Promise<Response>
  readonly methods: ReadonlyMap<string, readonly string[]>
  /** Answers every read, whether the cache has it or not, without Hono. `fetch` answers all other requests. */
  readonly shortcut: Shortcut
  readonly refuse: (error: unknown, request: IncomingMessage) => Problem
  /** The headers of every answer. */
  readonly common: Headers
}

export function createPublicApi(options: AppOptions, deps: AppDeps): PublicApi {
  const { reader, verifier, clock, events } = deps
  const network = options.network === 'localnet' ? options.network : undefined
  const { missesPerSecond: perSecond } = options
  const budget =
    perSecond === undefined ? undefined : new MissBudget(perSecond, clock, () => events.missLimited())
  const common = commonHeaders({ network, isPrivate: false })
  const refuse = (error: unknown, request: IncomingMessage, isGone: boolean) =>
    refused(error, request, isGone, { ...deps, common })
  const { receipts } = deps
  const lanes = new ReadLanes(network, { reader, budget, verifier, receipts, clock, events, refuse })
  const { app, methods } = createApp(deps, lanes, budget, common)
  return {
    methods,
    common,
    fetch: (request, env) => app.fetch(request, env),
    shortcut: lanes.tryServe.bind(lanes),
    refuse: (error, request) => refuse(error, request, false) as Problem,
  }
}

/**
 * Hono takes the first route that matches, so the routes that reject a method or a path come last.
 */
function createApp(deps: AppDeps, lanes: ReadLanes, budget: MissBudget | undefined, common: Headers): App {
  const app = new Hono<Env>()
  const methods = new Map<string, string[]>()
  const crossOrigin = new Set(spliceCrossOriginMethods)
  const allow = (method: string, template: string) => {
    methods.set(template, [...(methods.get(template) ?? []), method])
    crossOrigin.add(method)
  }
  const serve: Serve = (method, template, route, handler) => {
    app.on(method, honoPath(template), observed(route, handler, deps, common))
    allow(method, template)
  }
  app.options('*', (c) => new Response(null, { status: 200, headers: preflight(c, common, crossOrigin) }))
  for (const { mount } of lanes.all) allow(mount.method, mount.template)
  for (const { method, template, id, refuse } of nodeSpecificRoutes) serve(method, template, id, refuse)
  const ledgerRoutes = deps.ledgerRoutes ?? withoutLedger
  for (const { method, path, id, handler } of ledgerRoutes) {
    serve(method, path, id, async (c) => jsonResponse({ status: 200, body: await handler(c) }, c, common))
  }
  const ledgerApiRoutes = deps.ledgerApiRoutes ?? withoutLedgerApi
  for (const { method, path, id, handler } of ledgerApiRoutes) {
    serve(method, path, id, async (c) => ledgerAnswer(await handler(c), c, common, deps.logger))
  }
  for (const { method, path, refuse } of deprecatedRoutes) serve(method, path, 'deprecated', refuse)
  for (const { path, answer } of aboutPaths) {
    serve('GET', path, path.slice(path.lastIndexOf('/') + 1), (c) =>
      jsonResponse(answer(deps.about, targetOf(c.req.url).query), c, common),
    )
  }
  const answer = (handler: Handler) => async (c: Context<Env>) => withCommon(await handler(c), c, common)
  const published = deps.receipts === undefined ? [] : receiptRoutes(deps.receipts, deps.clock)
  for (const { method, path, id, handler } of [...published, changesRoute(deps)])
    serve(method, path, id, answer(handler))
  const { description, page, script } = descriptionHandlers(
    deps.about.version,
    ledgerRoutes,
    ledgerApiRoutes,
    deps.verifier !== undefined,
  )
  serve('GET', '/openapi.json', 'openapi', answer(description))
  serve('GET', '/docs', 'docs', answer(page))
  app.get('/docs/scalar.js', observed('docs', answer(script), deps, common))
  for (const { method, path, id, handler } of deps.page?.((address) => budget?.spend(address)) ?? [])
    serve(method, path, id, handler)
  if (deps.page === undefined) app.get('/', observed('docs', answer(toDocs), deps, common))
  const streams = [...ledgerApiRoutes, ...deprecatedRoutes]
    .filter(({ isStream }) => isStream)
    .map(({ path }) => path)
  for (const [template, allowed] of methods) {
    app.all(
      honoPath(template),
      observed('unknown', (c) => refuseMethod(c, template, allowed, streams), deps, common),
    )
  }
  app.notFound(observed('unknown', (c) => deps.unknownPage?.(c) ?? refusePath(c), deps, common))
  return { app, methods }
}

function toDocs(c: Context<Env>): Response {
  if (!wantsPage(c))
    throw new SpliceError('nothingAtRoot', { uri: c.req.url, docs: new URL('docs', c.req.url).href })
  return new Response(null, {
    status: 302,
    headers: { location: 'docs', 'cache-control': 'no-cache', vary: 'accept' },
  })
}

function observed(route: string, handler: Handler, deps: AppDeps, common: Headers): Handler {
  const { clock, events } = deps
  const routeEvents = events.forRoute(route)
  return async (c) => {
    const started = clock.now()
    let response: Response
    try {
      response = await handler(c)
    } catch (error) {
      const problem = refused(error, c.env.incoming, c.req.raw.signal.aborted, { ...deps, common })
      response =
        problem === undefined
          ? new Response(null, { status: callerLeftStatus })
          : new Response(problem.body, problem)
    }
    const seconds = (clock.now() - started) / 1000
    routeEvents.served(c.req.method, response.status, seconds, requestIdOf(c.env.incoming.headers))
    return response
  }
}

function refused(
  error: unknown,
  request: IncomingMessage,
  isGone: boolean,
  { logger, events, common }: Pick<AppDeps, 'logger' | 'events'> & { readonly common: Headers },
): Problem | undefined {
  if (error instanceof CallerLeft) return undefined
  const requestId = requestIdOf(request.headers)
  const isLedgerApi = error instanceof CantonError || error instanceof PlainError
  const isSplice = error instanceof SpliceError
  if ((isSplice || isLedgerApi) && error.cause instanceof RefusedToken) {
    const reason = error.cause.message
    if (error.status >= 500) events.tokenKeysMissing(reason, requestId)
    else events.tokenRefused(clientOf(request), reason, requestId)
  } else if (isSplice) {
    if (error.code === 'notEncoded')
      logger.error({ requestId, err: error.cause }, 'an agreed answer could not be encoded')
  } else if (isLedgerApi || error instanceof UnknownLedgerPath) {
    if (isLedgerApi && error.status === 401) tellTokenless(request, events)
    if (isLedgerApi && error.status >= 500 && error.cause !== undefined)
      events.ledgerUnreadable(error.cause, requestId)
  } else {
    // On a closed connection, an unexpected error is only a consequence of the close.
    if (isGone || request.socket.destroyed) return undefined
    logger.error({ requestId, err: error }, 'a request failed for no reason that is known')
  }
  return problemOf(error, { ...common, ...identity(request) })
}

const causes = { none: 'no token', empty: 'empty token', 'too-long': 'too long a token' } as const

function tellTokenless({ headers }: IncomingMessage, events: AppDeps['events']): void {
  const { kind } = bearerIn(headers.authorization)
  if (kind !== 'token') events.ledgerCallRefused(causes[kind], requestIdOf(headers))
}

function refuseMethod(
  c: Context<Env>,
  template: string,
  allowed: readonly string[],
  streams: readonly string[],
): never {
  if (template.startsWith(ledgerApi)) {
    // These paths exist only for WebSockets, so a plain GET gets the 404 of an unknown path.
    if (['GET', 'HEAD'].includes(c.req.method) && streams.includes(template)) throw unknownLedgerPath(c)
    throw new PlainError('methodNotAllowed')
  }
  const allow = allowed.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method))
  throw new SpliceError(
    'methodNotAllowed',
    { methods: allowed.join(', ') },
    { allow: [...allow, 'OPTIONS'].join(', ') },
  )
}

function refusePath(c: Context<Env>): never {
  if (c.req.path.startsWith(ledgerApi)) throw unknownLedgerPath(c)
  throw new SpliceError('unknownPath', { uri: c.req.url })
}

function unknownLedgerPath(c: Context<Env>): UnknownLedgerPath {
  const { path, query } = targetOf(c.req.url)
  return new UnknownLedgerPath(c.req.method, query === '' ? path : `${path}?${query}`)
}
