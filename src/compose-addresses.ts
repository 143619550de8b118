import type { IncomingMessage } from 'node:http'
import { isDeepStrictEqual } from 'node:util'
import { VerifierOnDemand } from './auth/verifier-on-demand.ts'
import type { ReadPath } from './compose.ts'
import type { NameService } from './compose-ledger.ts'
import { type ComposePageDeps, composePage } from './compose-page.ts'
import type { ParticipantService } from './compose-participant.ts'
import type { Config } from './config/resolve.ts'
import { createPublicApi, type PublicApi } from './http/app.ts'
import { type StatusSources, statusOf } from './http/daemon-status.ts'
import { evidenceOf } from './http/evidence.ts'
import { commonHeaders } from './http/headers.ts'
import { MissBudget } from './http/middleware/misses.ts'
import { createOperationsApp } from './http/operations-app.ts'
import type { Relay } from './http/relay.ts'
import { requestIdOf } from './http/request.ts'
import { ledgerApiRoutes, relayedLedgerApi } from './http/routes/ledger-api.ts'
import type { LedgerStreamsDeps } from './http/routes/ledger-streams.ts'
import { HttpServer, type Serving, type Shortcut } from './http/server.ts'
import type { Upgrades } from './http/sockets.ts'
import type { Clock } from './lib/clock.ts'
import type { ReceiptDesk } from './receipts/receipt-desk.ts'
import { topicsOfName } from './scan/name-topics.ts'
import type { Events } from './telemetry/events.ts'
import type { LogOutput } from './telemetry/log-output.ts'
import type { AdjustableLogger, Logger } from './telemetry/logger.ts'
import { networkKind } from './ui/network-kind.ts'
import type { Page } from './ui/page.ts'
import type { Spend } from './ui/routes.ts'
import { version, versionTime } from './version.ts'

export interface AddressesDeps extends Omit<ComposePageDeps, 'desk'> {
  readonly participant: ParticipantService | undefined
  readonly startedAt: number
  readonly events: Events
  readonly logger: Logger
  readonly logOutput: LogOutput | undefined
}

interface Shared extends AddressesDeps {
  readonly config: Config
  readonly verifier: VerifierOnDemand
  readonly updates: Updates | undefined
  readonly page: Page
  readonly desk: ReceiptDesk | undefined
  readonly about: AboutDaemon
}

type Updates = LedgerStreamsDeps['service']
type AboutDaemon = Pick<StatusSources, 'ready' | 'uptimeMs'> & { readonly quorumReachable: () => boolean }

/**
 * Disposing this object closes both servers. The public one waits up to `http.shutdownTimeout` for
 * responses in progress, and the operations one cuts them.
 */
export interface Addresses extends AsyncDisposable {
  readonly http: HttpServer
  readonly operations: HttpServer
  /**
   * Checks of tokens use the new configuration at once. The keys that sign receipts and those that
   * verify tokens are read again.
   */
  reload(config: Config): Promise<void>
  /**
   * Makes the readiness check fail, and closes the open pages' live updates and the streams of
   * changes.
   */
  stopping(): void
}

export async function openAddresses(config: Config, deps: AddressesDeps): Promise<Addresses> {
  const { realClock, names, scan } = deps
  await using opened = new AsyncDisposableStack()
  let isStopping = false
  let current = config
  // Tokens expire by real time, because their issuers do not know a localnet's clock, which an
  // operator can move.
  const verifier = new VerifierOnDemand(async () => {
    const { JoseVerifier } = await import('./auth/verifier.jose.ts')
    return new JoseVerifier(current.auth, { clock: realClock })
  })
  const desk = deps.receipts?.desk(() => scan.discovery.roster)
  const page = opened.use(composePage(() => current, { ...deps, desk }))
  const shared: Shared = {
    ...deps,
    config,
    desk,
    verifier,
    updates: names?.updates(
      {
        anyPartyUsers: config.ledger.anyPartyUsers,
        rules: () => ({ ...current.auth, isLocalnet: config.network === 'localnet' }),
      },
      verifier,
      realClock,
    ),
    page,
    about: {
      ready: () => !isStopping && scan.discovery.roster !== undefined,
      uptimeMs: () => realClock.now() - deps.startedAt,
      quorumReachable: scan.quorumReachable,
    },
  }
  const { api, relay } = await openPublicApi(shared)
  if (relay !== undefined) opened.use(relay)
  const http = await HttpServer.listen(config.http, api, realClock)
  opened.defer(() => http.close(config.http.shutdownTimeoutMs))
  const operations = await listenForOperators({ ...shared, updates: relay ?? shared.updates }, http.port)
  opened.defer(() => operations.close(0))
  const held = opened.move()
  return {
    http,
    operations,
    async reload(next) {
      await deps.receipts?.refresh()
      const isSame = isDeepStrictEqual(next.auth, current.auth)
      current = next
      if (!isSame) return verifier.drop()
      const failure = await verifier.refreshKeys()
      if (failure !== undefined)
        deps.logger.warn({ reason: failure }, 'the keys to check tokens with cannot be fetched again')
    },
    stopping() {
      isStopping = true
      page[Symbol.dispose]()
      scan.mirror?.changes?.[Symbol.dispose]()
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}

async function openPublicApi(
  shared: Shared,
): Promise<{ readonly api: Serving; readonly relay: Relay | undefined }> {
  const { config, scan, names, participant, receipts, realClock, clock, events, logger } = shared
  const { verifier, updates, desk } = shared
  const network = config.network === 'localnet' ? 'localnet' : undefined
  const api = createPublicApi(
    { network, missesPerSecond: config.http.missesPerSecond },
    {
      reader: scan.reader,
      verifier: config.auth.scanProxy === 'bearer' ? verifier : undefined,
      ledgerRoutes: (names ?? participant)?.routes(verifier),
      ledgerApiRoutes: updates
        ? ledgerApiRoutes(config.ledger, { service: updates, clock: realClock })
        : participant && relayedLedgerApi,
      receipts: receipts && desk && { desk, published: receipts.published },
      about: { version, versionTime, ...shared.about },
      changes: scan.mirror?.changes,
      page: config.ui.public ? (spend: Spend) => shared.page.forAnyone(spend) : undefined,
      clock,
      events,
      logger,
    },
  )
  const { refuse, shortcut } = api
  if (updates !== undefined) {
    const upgrades = await openStreams({ service: updates, logger, ...config.ledger }, realClock, refuse)
    return { api: { ...api, upgrades }, relay: undefined }
  }
  const { url, relay: relayed } = config.ledger
  if (participant === undefined || url === undefined) return { api, relay: undefined }
  const { Relay } = await import('./http/relay.ts')
  const common = commonHeaders({ network, isPrivate: false })
  const relay = new Relay({ url, relay: relayed }, { clock: realClock, verifier, refuse, common, events })
  const serve: Shortcut = (...exchange) => relay.tryServe(...exchange) || shortcut(...exchange)
  return { api: { ...api, shortcut: serve, upgrades: relay }, relay }
}

function listenForOperators(
  {
    config,
    scan,
    names,
    ...shared
  }: Omit<Shared, 'updates'> & { readonly updates: Pick<Updates, 'readers'> | undefined },
  publicPort: number,
): Promise<HttpServer> {
  const { realClock, metrics, updates, page, about, logger, lastHour } = shared
  const superValidators = () => scan.discovery.roster?.set.members.map(({ name }) => name)
  const wall = () => realClock.wall()
  const budget = new MissBudget(config.http.missesPerSecond, realClock)
  const app = createOperationsApp({
    allowedHosts: config.operations.allowedHosts,
    metrics: (accept) => {
      scan.tellReachability()
      if (updates !== undefined) metrics.ledger_readers.set(updates.readers)
      return metrics.scrape(accept)
    },
    ready: about.ready,
    quorumReachable: about.quorumReachable,
    status: () =>
      status(config, scan, names, {
        ...about,
        wall,
        reads: () => lastHour.reads.counts(),
        log: shared.logOutput?.status,
      }),
    evidence: (query) => evidenceOf({ evidence: scan.evidence, superValidators, wall }, query),
    admin: config.operations.admin
      ? {
          flush: (name) => scan.invalidations.invalidate(topicsOfName(name, undefined)),
          floors: scan.floors,
          cordon: scan.connections.cordon,
          superValidators: () => superValidators() ?? [],
          log: 'adjust' in logger ? (logger as AdjustableLogger) : undefined,
          logger,
        }
      : undefined,
    adminCallRefused: (call, from) => shared.events.adminCallRefused(call, from),
    pruning: {
      prune: names && ((upTo) => names.ledger.prune(upTo)),
      fromAnywhere: config.operations.admin,
      logger,
    },
    page: page.forOperators((address) => budget.spend(address), publicPort),
  })
  const { keepAliveTimeoutMs } = config.http
  return HttpServer.listen({ ...config.operations, keepAliveTimeoutMs }, app, realClock)
}

/**
 * WebSockets are used only for the streams of a ledger, so their module is imported only if there
 * is a ledger.
 */
async function openStreams(
  deps: LedgerStreamsDeps,
  clock: Clock,
  refuse: PublicApi['refuse'],
): Promise<Upgrades> {
  const [{ WsSockets }, { ledgerStreams }] = await Promise.all([
    import('./http/sockets.ws.ts'),
    import('./http/routes/ledger-streams.ts'),
  ])
  const tellSlow = ({ headers }: IncomingMessage) =>
    deps.logger.warn({ requestId: requestIdOf(headers) }, 'a reader of the ledger was closed: it is too slow')
  return new WsSockets(ledgerStreams(deps), { clock, refuse, tellSlow })
}

function status(
  config: Config,
  scan: ReadPath,
  names: NameService | undefined,
  about: Pick<StatusSources, 'ready' | 'uptimeMs' | 'wall' | 'reads' | 'log'>,
): unknown {
  return statusOf({
    version,
    network: networkKind(config.network, config.scanClient.seedUrls),
    mode: config.scanClient.scanType,
    discovery: scan.discovery,
    connections: scan.connections,
    ...about,
    cache: () => ({ ...scan.memory.bytes, maxBytes: config.cache.maxBytes }),
    mirror: () => scan.mirror?.status() ?? { level: 'off', wanted: config.mirror.level },
    ledger: {
      driver: config.ledger.driver,
      ...(config.ledger.driver === 'embedded' && {
        kept: config.ledger.file ?? 'nothing: it is in memory and forgotten at exit',
      }),
      ...(names?.ledger.writesStopped !== undefined && { writesStopped: names.ledger.writesStopped }),
      ...(config.ledger.driver === 'participant' && { url: config.ledger.url, relay: config.ledger.relay }),
    },
    redis: () => (config.cache.redis.url === undefined ? undefined : scan.redis()),
  })
}
