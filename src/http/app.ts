import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import type { Verifier } from '../auth/verifier.ts'
import { CantonError, PlainError, UnknownLedgerPath } from '../errors/canton.ts'
import { SpliceError } from '../errors/splice.ts'
import { bearerIn } from '../lib/bearer.ts'
import { CallerLeft } from '../lib/body-bytes.ts'
import type { Clock } from '../lib/clock.ts'
import type { Events } from '../telemetry/events.ts'
import type { Logger } from '../telemetry/logger.ts'
import { commonHeaders, type Headers, type Surroundings } from './headers.ts'
import { MissBudget } from './middleware/misses.ts'
import { type Problem, problemOf } from './problem.ts'
import { callerLeft, type ReadLaneDeps } from './read-lane.ts'
import { ReadLanes } from './read-lanes.ts'
import { requestIdOf, targetOf } from './request.ts'
import { type About, aboutPaths } from './routes/about.ts'
import { changesRoute, type MirrorChanges } from './routes/changes.ts'
import { type LedgerApiRoute, withoutLedgerApi } from './routes/ledger-api.ts'
import { honoPath } from './routes/mounts.ts'
import { nodeSpecificRoutes } from './routes/node-specific.ts'
import { type ObservationsPublished, observationsRoute } from './routes/observations.ts'
import { type ReceiptsPublished, receiptRoutes } from './routes/receipts.ts'
import { type LedgerRoute, type PlainRoute, withoutLedger } from './routes/route.ts'
import {
  alreadySent,
  descriptionHandlers,
  identity,
  ledgerAnswer,
  preflight,
  said,
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

/**
 * The prefix of all paths of the JSON Ledger API. Error responses on these paths have Canton's format instead
 * of Splice's.
 */
const ledgerApi = '/v2/'

export interface AppOptions {
  readonly network: Surroundings['network']
  /** The number of cache misses that one client address may cause per second. Undefined means no limit. */
  readonly missesPerSecond: number | undefined
}

export interface AppDeps {
  readonly reader: ReadLaneDeps['reader']
  /**
   * Verifies the bearer tokens of requests to the scan proxy's paths and to the feed of changes. Undefined if
   * these paths require no token.
   */
  readonly verifier: Verifier | undefined
  /** The routes of the name registry and the wallet. Undefined if the daemon has no ledger. */
  readonly ledgerRoutes: readonly LedgerRoute[] | undefined
  /** The routes of the JSON Ledger API. Undefined if the daemon has no ledger. */
  readonly ledgerApiRoutes: readonly LedgerApiRoute[] | undefined
  /**
   * `desk` makes receipts. `published` has the keys and documents with which callers verify receipts.
   * Undefined if the daemon signs no receipts.
   */
  readonly receipts?:
    | { readonly desk: NonNullable<ReadLaneDeps['receipts']>; readonly published: ReceiptsPublished }
    | undefined
  /** The observations that this daemon publishes for comparison with peers. Undefined if it has no peers. */
  readonly observations?: ObservationsPublished | undefined
  readonly about: About
  /**
   * The feed of changed names at `/mirror/changes`. Undefined if there is no mirror, or its level is not
   * `stream`.
   */
  readonly changes?: MirrorChanges | undefined
  /**
   * Makes the routes of the web page. Absent if the public address does not serve the page.
   * @param spend takes one miss from the miss budget of a client address. Throws SpliceError `tooManyMisses`
   * if the budget is used up.
   */
  readonly page?: ((spend: (address: string) => void) => readonly PlainRoute[]) | undefined
  readonly clock: Clock
  readonly events: Events
  readonly logger: Logger
}

export interface PublicApi {
  readonly fetch: (request: Request, env: HttpBindings) => Response | Promise<Response>
  /** The HTTP methods of each path. The keys are paths with `{name}` in place of each path parameter. */
  readonly methods: ReadonlyMap<string, readonly string[]>
  /**
   * Answers most reads without Hono, which takes less time. The server tries the shortcut before `fetch`, and
   * calls `fetch` if the shortcut returns false.
   */
  readonly shortcut: Shortcut
  /** Makes the HTTP error response to a WebSocket request that cannot be upgraded. */
  readonly refuse: (error: unknown, request: IncomingMessage) => Problem
}

export function createPublicApi({ network, missesPerSecond }: AppOptions, deps: AppDeps): PublicApi {
  const { reader, verifier, clock, events, logger } = deps
  const budget = new MissBudget(missesPerSecond, clock, () => events.missLimited())
  const common = commonHeaders({ network, isPrivate: false })
  const refuse = (error: unknown, request: IncomingMessage, isGone: boolean) =>
    refused(error, request, isGone, { ...deps, common })
  const receipts = deps.receipts?.desk
  const lanes = new ReadLanes(network, { reader, budget, verifier, receipts, clock, events, logger, refuse })
  const { app, methods } = createApp(deps, lanes, budget, common)
  return {
    methods,
    fetch: (request, env) =>
      lanes.tryServe(targetOf(request.url), env.incoming, env.outgoing as ServerResponse)
        ? alreadySent()
        : app.fetch(request, env),
    shortcut: (request, response) => lanes.tryPlain(request, response),
    refuse: (error, request) => refuse(error, request, false) as Problem,
  }
}

/**
 * Builds the routes of the public API, except those that serve reads. Hono takes the first route that
 * matches, so the routes that reject a method or an unknown path come last.
 */
function createApp(deps: AppDeps, lanes: ReadLanes, budget: MissBudget, common: Headers): App {
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
    serve(method, path, id, async (c) => said(await handler(c), c, common))
  }
  const ledgerApiRoutes = deps.ledgerApiRoutes ?? withoutLedgerApi
  for (const { method, path, id, handler } of ledgerApiRoutes) {
    serve(method, path, id, async (c) => ledgerAnswer(await handler(c), c, common, deps.logger))
  }
  for (const { path, say } of aboutPaths) {
    serve('GET', path, path.slice(path.lastIndexOf('/') + 1), (c) =>
      said(say(deps.about, targetOf(c.req.url).query), c, common),
    )
  }
  const answer = (handler: Handler) => async (c: Context<Env>) => withCommon(await handler(c), c, common)
  const published = [
    ...(deps.receipts === undefined ? [] : receiptRoutes(deps.receipts.published)),
    ...(deps.observations === undefined ? [] : [observationsRoute(deps.observations)]),
  ]
  for (const { method, path, id, handler } of published) serve(method, path, id, answer(handler))
  const { description, page, script } = descriptionHandlers(
    deps.about.version,
    ledgerRoutes,
    ledgerApiRoutes,
    deps.verifier !== undefined,
  )
  const changes = changesRoute(deps)
  serve(changes.method, changes.path, changes.id, answer(changes.handler))
  serve('GET', '/openapi.json', 'openapi', answer(description))
  serve('GET', '/docs', 'docs', answer(page))
  app.get('/docs/scalar.js', observed('docs', answer(script), deps, common))
  for (const { method, path, id, handler } of deps.page?.((address) => budget.spend(address)) ?? [])
    serve(method, path, id, handler)
  if (deps.page === undefined) app.get('/', observed('docs', answer(toDocs), deps, common))
  const streams = ledgerApiRoutes.filter(({ isStream }) => isStream).map(({ path }) => path)
  for (const [template, allowed] of methods) {
    app.all(
      honoPath(template),
      observed('unknown', (c) => refuseMethod(c, template, allowed, streams), deps, common),
    )
  }
  app.notFound(observed('unknown', refusePath, deps, common))
  return { app, methods }
}

/**
 * Answers `GET /`. Redirects browsers to the API description at `/docs`. Other programs get a 404 whose text
 * names the URL of the description.
 */
function toDocs(c: Context<Env>): Response {
  if (!wantsPage(c))
    throw new SpliceError('nothingAtRoot', { uri: c.req.url, docs: new URL('docs', c.req.url).href })
  return new Response(null, {
    status: 302,
    headers: { location: 'docs', 'cache-control': 'no-cache', vary: 'accept' },
  })
}

/**
 * Wraps the handler of a route: counts and times its requests, and turns its exceptions into error responses.
 */
function observed(route: string, handler: Handler, deps: AppDeps, common: Headers): Handler {
  const { clock, events } = deps
  const told = events.forRoute(route)
  return async (c) => {
    const started = clock.now()
    let response: Response
    try {
      response = await handler(c)
    } catch (error) {
      const problem = refused(error, c.env.incoming, c.req.raw.signal.aborted, { ...deps, common })
      response =
        problem === undefined
          ? new Response(null, { status: callerLeft })
          : new Response(problem.body, problem)
    }
    const seconds = (clock.now() - started) / 1000
    told.served(c.req.method, response.status, seconds, requestIdOf(c.env.incoming.headers))
    return response
  }
}

/**
 * Returns the response to an error. Returns undefined for `CallerLeft`, and for an unexpected error after the
 * caller has disconnected. Logs two kinds of errors:
 * - a fault of the daemon or of its ledger
 * - a ledger call without a usable token (`tellTokenless`)
 */
function refused(
  error: unknown,
  request: IncomingMessage,
  isGone: boolean,
  { logger, events, common }: Pick<AppDeps, 'logger' | 'events'> & { readonly common: Headers },
): Problem | undefined {
  if (error instanceof CallerLeft) return undefined
  const requestId = requestIdOf(request.headers)
  const isLedgerApi = error instanceof CantonError || error instanceof PlainError
  if (error instanceof SpliceError) {
    if (error.code === 'notEncoded')
      logger.error({ requestId, err: error.cause }, 'an agreed answer could not be encoded')
  } else if (isLedgerApi || error instanceof UnknownLedgerPath) {
    if (isLedgerApi && error.status === 401) tellTokenless(request, events)
    if (isLedgerApi && error.status >= 500 && error.cause !== undefined)
      logger.error({ requestId, err: error.cause }, 'the ledger could not be read')
  } else {
    // On a closed connection, an unexpected error is only a consequence of the close, so it is not logged.
    // For example, the daemon closes connections when it stops.
    if (isGone || request.socket.destroyed) return undefined
    logger.error({ requestId, err: error }, 'a request failed for no reason that is known')
  }
  return problemOf(error, { ...common, ...identity(request) })
}

const causes = { none: 'no token', empty: 'empty token', 'too-long': 'too long a token' } as const

/**
 * Logs that the daemon rejected a ledger call because its token is missing, empty or too long. A token that
 * is rejected for another reason is logged by the code that rejects it.
 */
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
    // Stream paths exist only for WebSocket upgrades; a plain GET gets the 404 of an unknown path.
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
