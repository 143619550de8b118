import type { IncomingMessage } from 'node:http'
import type { Config } from '../../base/config/resolve.ts'
import { passing } from '../../base/lib/passing.ts'
import type { Base } from '../../base/telemetry/open.ts'
import type { ReadPath } from '../../core/scan/open.ts'
import type { NameService } from '../../localnet/automation/name-service.ts'
import type { OpenMirror } from '../../mirror/open.ts'
import type { OpenReceipts } from '../../receipts/open.ts'
import { LedgerApi } from '../../registry/ledger/api/ledger-api.ts'
import type { ParticipantRegistry } from '../../registry/names/participant-registry.ts'
import { ledgerAccess } from '../auth/ledger-access.ts'
import { type Verifier, VerifierOnDemand } from '../auth/verifier.ts'
import type { Page } from '../ui/page.ts'
import { createPublicApi, type PublicApi } from './app.ts'
import { DaemonState } from './daemon-state.ts'
import { MissBudget } from './middleware/misses.ts'
import { createOperationsApp } from './operations-app.ts'
import type { Relay } from './relay.ts'
import { requestIdOf } from './request.ts'
import { nameRoutes } from './routes/entry.ts'
import { ledgerApiRoutes, relayedLedgerApi } from './routes/ledger-api.ts'
import { HttpServer, type Serving } from './server.ts'

export interface AddressesDeps extends Base {
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
export async function openAddresses(config: Config, deps: AddressesDeps) {
  const { realClock: clock, scan, mirror, names, participant, receipts, page } = deps
  const { missesPerSecond, shutdownDelayMs, shutdownTimeoutMs, keepAliveTimeoutMs } = config.http
  // Tokens expire by real time, because their issuers do not know a localnet's clock, which an
  // operator can move.
  const verifier = new VerifierOnDemand(config.auth, async (auth) => {
    const { JoseVerifier } = await import('../auth/verifier.jose.ts')
    return new JoseVerifier(auth, { clock })
  })
  const about = new DaemonState(deps)
  await using opened = new AsyncDisposableStack()
  const service = names && opened.use(openLedgerApi(config, verifier, { ...deps, names }))
  const api = createPublicApi(
    { network: config.network, missesPerSecond },
    {
      ...deps,
      about,
      reader: scan.reader,
      verifier: config.auth.scanProxy === 'bearer' ? verifier : undefined,
      ledgerRoutes: names ? nameRoutes(names, verifier) : participant && nameRoutes(participant, verifier),
      ledgerApiRoutes: service
        ? ledgerApiRoutes(config.ledger, { service, clock })
        : participant && relayedLedgerApi,
      receipts: receipts?.desk,
      changes: mirror?.changes,
      page: config.ui.public ? (spend) => page.forAnyone(spend) : undefined,
      unknownPage: config.ui.public ? page.unknown : undefined,
    },
  )
  const streams = service ? await openStreams(config, service, api, deps) : undefined
  const relay = participant && opened.use(await openRelay(config, verifier, api, deps))
  const http = await HttpServer.listen(
    config.http,
    { ...api, ...streams, ...relay?.before(api.shortcut) },
    clock,
  )
  opened.defer(() => http.close(shutdownTimeoutMs))
  const budget = missesPerSecond === undefined ? undefined : new MissBudget(missesPerSecond, clock)
  const routes = page.forOperators((address) => budget?.spend(address), http.port)
  const app = createOperationsApp(config, { ...deps, about, page: routes, unknownPage: page.unknown })
  const operations = await HttpServer.listen({ ...config.operations, keepAliveTimeoutMs }, app, clock)
  opened.defer(() => operations.close(0))
  const held = opened.move()
  return {
    http,
    operations,
    /**
     * Checks of tokens use the new configuration at once. The keys that sign receipts and those that
     * verify tokens are read again.
     */
    async reload({ auth }: Config) {
      await receipts?.refresh()
      const reason = await verifier.reload(auth)
      if (reason !== undefined)
        deps.logger.warn({ reason }, 'the keys to check tokens with cannot be fetched again')
    },
    /**
     * Makes the readiness check fail, and closes the open pages' live updates and the streams of
     * changes. The public address closes `http.shutdownDelay` later.
     */
    async shutDown(reason: string) {
      about.stopping()
      page[Symbol.dispose]()
      mirror?.changes?.[Symbol.dispose]()
      deps.events.shuttingDown(reason, http.requestsInProgress)
      if (shutdownDelayMs > 0) await passing(shutdownDelayMs, clock)
      await http.close(shutdownTimeoutMs, (error) => scan.cut(error))
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}

function openLedgerApi(
  { network, ledger: { anyPartyUsers } }: Config,
  verifier: VerifierOnDemand<Config['auth']>,
  { names, clock, realClock: tokenClock, metrics }: Base & { readonly names: NameService },
): LedgerApi {
  const { ledger, users } = names
  const { participantId } = ledger
  const rules = () => ({ ...verifier.options, isLocalnet: network === 'localnet' })
  const access = ledgerAccess({ participantId, anyPartyUsers, rules }, { verifier, users })
  const service = new LedgerApi({ anyPartyUsers }, { ledger, clock, tokenClock, access })
  metrics.ledger_readers.readFrom(() => service.readers)
  return service
}

/** WebSockets are used only for the streams of a ledger, so their module is loaded only for one. */
async function openStreams(
  { ledger: { deprecatedFields } }: Config,
  service: LedgerApi,
  { refuse }: PublicApi,
  { realClock: clock, logger }: Base,
): Promise<Pick<Serving, 'upgrades'>> {
  const [{ WsSockets }, { ledgerStreams }] = await Promise.all([
    import('./sockets.ws.ts'),
    import('./routes/ledger-streams.ts'),
  ])
  const tellSlow = ({ headers }: IncomingMessage) =>
    logger.warn({ requestId: requestIdOf(headers) }, 'a reader of the ledger was closed: it is too slow')
  const streams = ledgerStreams({ service, logger, deprecatedFields })
  return { upgrades: new WsSockets(streams, { clock, refuse, tellSlow }) }
}

async function openRelay(
  { ledger: { url = '', relay } }: Config,
  verifier: Verifier,
  { refuse, common }: PublicApi,
  { realClock: clock, events, metrics }: Base,
): Promise<Relay> {
  const { Relay } = await import('./relay.ts')
  const opened = new Relay({ url, relay }, { clock, verifier, refuse, common, events })
  metrics.ledger_readers.readFrom(() => opened.readers)
  return opened
}
