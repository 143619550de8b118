import type { IncomingMessage } from 'node:http'
import { isDeepStrictEqual } from 'node:util'
import { type LedgerAccessOptions, ledgerAccess } from '../auth/ledger-access.ts'
import type { Verifier } from '../auth/verifier.ts'
import { VerifierOnDemand } from '../auth/verifier-on-demand.ts'
import type { NameService } from '../automation/name-service.ts'
import type { Config } from '../config/resolve.ts'
import { LedgerApi } from '../ledger/api/ledger-api.ts'
import type { Clock } from '../lib/clock.ts'
import type { OpenMirror } from '../mirror/open.ts'
import type { ParticipantRegistry } from '../names/participant-registry.ts'
import type { OpenReceipts } from '../receipts/open.ts'
import { topicsOfName } from '../scan/name-topics.ts'
import type { ReadPath } from '../scan/open.ts'
import type { AdjustableLogger } from '../telemetry/logger.ts'
import type { Telemetry } from '../telemetry/open.ts'
import type { Page } from '../ui/page.ts'
import { version, versionTime } from '../version.ts'
import { createPublicApi, type PublicApi } from './app.ts'
import { statusOf } from './daemon-status.ts'
import { evidenceOf } from './evidence.ts'
import { MissBudget } from './middleware/misses.ts'
import { createOperationsApp } from './operations-app.ts'
import type { Relay } from './relay.ts'
import { requestIdOf } from './request.ts'
import { commonHeaders, type Surroundings } from './respond.ts'
import type { About } from './routes/about.ts'
import { ledgerApiRoutes, relayedLedgerApi } from './routes/ledger-api.ts'
import { nameRoutes } from './routes/name-routes.ts'
import { HttpServer, type Shortcut } from './server.ts'
import type { Upgrades } from './sockets.ts'

export interface AddressesDeps extends Omit<Telemetry, keyof AsyncDisposable | 'reload' | 'traces'> {
  readonly clock: Clock
  readonly realClock: Clock
  readonly startedAt: number
  readonly scan: ReadPath
  readonly mirror: OpenMirror | undefined
  readonly names: NameService | undefined
  readonly participant: ParticipantRegistry | undefined
  readonly receipts: OpenReceipts | undefined
  readonly page: Page
}

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
  const { realClock: clock, scan, mirror, names, participant, receipts, page, logger } = deps
  let { auth } = config
  let isStopping = false
  // Tokens expire by real time, because their issuers do not know a localnet's clock, which an
  // operator can move.
  const verifier = new VerifierOnDemand(async () => {
    const { JoseVerifier } = await import('../auth/verifier.jose.ts')
    return new JoseVerifier(auth, { clock })
  })
  const about: About = {
    version,
    versionTime,
    ready: () => !isStopping && scan.discovery.roster !== undefined,
    uptimeMs: () => clock.now() - deps.startedAt,
    quorumReachable: () => scan.reachability.quorumReachable(),
  }
  await using opened = new AsyncDisposableStack()
  const isLocalnet = config.network === 'localnet'
  const network = isLocalnet ? 'localnet' : undefined
  const rules = () => ({ ...auth, isLocalnet })
  const service = names && opened.use(openLedgerApi(config, names, { ...deps, verifier, rules }))
  const api = createPublicApi(
    { network, missesPerSecond: config.http.missesPerSecond },
    {
      ...deps,
      reader: scan.reader,
      verifier: config.auth.scanProxy === 'bearer' ? verifier : undefined,
      ledgerRoutes: names ? nameRoutes(names, verifier) : participant && nameRoutes(participant, verifier),
      ledgerApiRoutes: service
        ? ledgerApiRoutes(config.ledger, { service, clock })
        : participant && relayedLedgerApi,
      about,
      changes: mirror?.changes,
      page: config.ui.public ? (spend) => page.forAnyone(spend) : undefined,
    },
  )
  const relay = participant && opened.use(await openRelay(config, { ...deps, verifier, network, api }))
  const upgrades = relay ?? (service && (await openStreams(config, service, { ...deps, api })))
  const shortcut: Shortcut =
    relay === undefined
      ? api.shortcut
      : (...exchange) => relay.tryServe(...exchange) || api.shortcut(...exchange)
  const readers = relay ?? service
  if (readers !== undefined) deps.metrics.ledger_readers.readFrom(() => readers.readers)
  const http = await HttpServer.listen(config.http, { ...api, shortcut, upgrades }, clock)
  opened.defer(() => http.close(config.http.shutdownTimeoutMs))
  const operations = await listenForOperators(config, { ...deps, about, publicPort: http.port })
  opened.defer(() => operations.close(0))
  const held = opened.move()
  return {
    http,
    operations,
    async reload(next) {
      await receipts?.refresh()
      const isSame = isDeepStrictEqual(next.auth, auth)
      auth = next.auth
      if (!isSame) return verifier.drop()
      const failure = await verifier.refreshKeys()
      if (failure !== undefined)
        logger.warn({ reason: failure }, 'the keys to check tokens with cannot be fetched again')
    },
    stopping() {
      isStopping = true
      page[Symbol.dispose]()
      mirror?.changes?.[Symbol.dispose]()
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}

type TokenRules = Pick<LedgerAccessOptions, 'rules'> & { readonly verifier: VerifierOnDemand }

function openLedgerApi(
  { ledger: { anyPartyUsers } }: Config,
  { ledger, users }: NameService,
  { clock, realClock: tokenClock, verifier, rules }: AddressesDeps & TokenRules,
): LedgerApi {
  const { participantId, synchronizerId } = ledger
  const access = ledgerAccess({ participantId, anyPartyUsers, rules }, { verifier, users })
  return new LedgerApi(
    { participantId, synchronizerId, anyPartyUsers },
    { ledger, clock, tokenClock, access },
  )
}

async function openRelay(
  { ledger: { url = '', relay } }: Config,
  {
    network,
    api: { refuse },
    ...deps
  }: AddressesDeps & Pick<Surroundings, 'network'> & { readonly verifier: Verifier; readonly api: PublicApi },
): Promise<Relay> {
  const { Relay } = await import('./relay.ts')
  const common = commonHeaders({ network, isPrivate: false })
  return new Relay({ url, relay }, { ...deps, clock: deps.realClock, refuse, common })
}

/** WebSockets are used only for the streams of a ledger, so their module is loaded only for one. */
async function openStreams(
  { ledger: { deprecatedFields } }: Config,
  service: LedgerApi,
  { realClock: clock, logger, api: { refuse } }: AddressesDeps & { readonly api: PublicApi },
): Promise<Upgrades> {
  const [{ WsSockets }, { ledgerStreams }] = await Promise.all([
    import('./sockets.ws.ts'),
    import('./routes/ledger-streams.ts'),
  ])
  const tellSlow = ({ headers }: IncomingMessage) =>
    logger.warn({ requestId: requestIdOf(headers) }, 'a reader of the ledger was closed: it is too slow')
  return new WsSockets(ledgerStreams({ service, logger, deprecatedFields }), { clock, refuse, tellSlow })
}

function listenForOperators(
  config: Config,
  { about, publicPort, ...deps }: AddressesDeps & { readonly about: About; readonly publicPort: number },
): Promise<HttpServer> {
  const { realClock: clock, scan, metrics, page, logger, logOutput, lastHour, names, events } = deps
  const { allowedHosts, admin } = config.operations
  const superValidators = () => scan.discovery.roster?.set.members.map(({ name }) => name)
  const wall = () => clock.wall()
  const budget = new MissBudget(config.http.missesPerSecond, clock)
  const reads = () => lastHour.reads.counts()
  const app = createOperationsApp({
    ...about,
    allowedHosts,
    metrics: (accept) => {
      scan.reachability.tell()
      return metrics.scrape(accept)
    },
    status: () => statusOf(config, { ...deps, about, wall, reads, log: logOutput?.status }),
    evidence: (query) => evidenceOf({ evidence: scan.evidence, superValidators, wall }, query),
    admin: admin
      ? {
          flush: (name) => scan.invalidations.invalidate(topicsOfName(name, undefined)),
          floors: scan.floors,
          cordon: scan.connections.cordon,
          superValidators: () => superValidators() ?? [],
          log: 'adjust' in logger ? (logger as AdjustableLogger) : undefined,
          logger,
        }
      : undefined,
    adminCallRefused: events.adminCallRefused,
    pruning: { prune: names && ((upTo) => names.ledger.prune(upTo)), fromAnywhere: admin, logger },
    page: page.forOperators((address) => budget.spend(address), publicPort),
  })
  const { keepAliveTimeoutMs } = config.http
  return HttpServer.listen({ ...config.operations, keepAliveTimeoutMs }, app, clock)
}
