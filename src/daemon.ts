import { VerifierOnDemand } from './auth/verifier-on-demand.ts'
import { composeReadPath, type ReadPath } from './compose.ts'
import type { NameService } from './compose-ledger.ts'
import type { ParticipantService } from './compose-participant.ts'
import type { Config } from './config/resolve.ts'
import { createPublicApi, type PublicApi } from './http/app.ts'
import { MissBudget } from './http/middleware/misses.ts'
import { createOperationsApp } from './http/operations.ts'
import { ledgerApiRoutes } from './http/routes/ledger-api.ts'
import type { LedgerStreamsDeps } from './http/routes/ledger-streams.ts'
import { HttpServer } from './http/server.ts'
import type { Upgrades } from './http/sockets.ts'
import { evidenceOf, type StatusSources, statusOf } from './http/status.ts'
import { type Clock, systemClock } from './lib/clock.ts'
import { type Random, systemRandom } from './lib/random.ts'
import type { AdvancingClock } from './localnet/advancing-clock.ts'
import type { Faults } from './localnet/faults.ts'
import type { Localnet } from './localnet/localnet.ts'
import type { Params, Read } from './reads/read.ts'
import { readIds } from './reads/table.ts'
import { createEvents, type Events } from './telemetry/events.ts'
import { LastHour } from './telemetry/last-hour.ts'
import { createLogger, type Logger } from './telemetry/logger.ts'
import { createMetrics } from './telemetry/metrics.ts'
import type { Traces } from './telemetry/traces.ts'
import { Page } from './ui/page.ts'
import type { Spend, Trials } from './ui/routes.ts'
import { version, versionTime } from './version.ts'

/** What a test or another program puts in the place of the real thing. */
export interface Overrides {
  readonly clock?: Clock
  readonly random?: Random
  readonly logger?: Logger
  /** Sets apart in one Redis what must not be shared. */
  readonly redisPrefix?: string
  /** Node's own metrics of the process; they can be collected once a process. */
  readonly processMetrics?: boolean
}

/** What happens is told to these. */
interface Telemetry {
  readonly logger: Logger
  readonly events: Events
}

/** A running daemon. Disposing it stops it as SIGTERM does. */
export interface Daemon extends AsyncDisposable {
  /** Base URLs. */
  readonly http: string
  readonly operations: string
  /** On a localnet. */
  readonly localnet: Localnet | undefined
  /** On the embedded ledger. */
  readonly names: NameService | undefined
  readonly scan: ReadPath
}

/**
 * Starts everything and resolves when it is ready to answer: with a roster, or while it is still asking for one.
 * Rejects, with nothing left open, where an address cannot be bound.
 */
export async function startDaemon(given: Config, overrides: Overrides = {}): Promise<Daemon> {
  const { random = systemRandom } = overrides
  const machine = overrides.clock ?? systemClock
  const movable = await advancing(given, machine)
  const clock = movable ?? machine
  const logger = overrides.logger ?? loggerOf(given)
  const metrics = createMetrics({
    version,
    reads: readIds,
    spliceNames: given.metrics.spliceNames,
    processMetrics: overrides.processMetrics ?? false,
  })
  const lastHour = new LastHour(machine)
  const events = createEvents({ metrics, logger, clock: machine, lastHour })
  const started = machine.now()
  let stopping = false

  await using opened = new AsyncDisposableStack()
  const names =
    movable === undefined || given.ledger.driver !== 'embedded'
      ? undefined
      : opened.use(await openNames(given, movable, { logger, events }))
  const localnet =
    given.network === 'localnet' ? opened.use(await openLocalnet(given, clock, names)) : undefined
  const config = localnet === undefined ? given : withSeeds(given, localnet)
  const traces = await openTraces(config, events)
  if (traces !== undefined) opened.use(traces)
  const redisPrefix = overrides.redisPrefix === undefined ? {} : { redisPrefix: overrides.redisPrefix }
  const scan = opened.use(
    await composeReadPath(config, {
      events,
      metrics,
      clock,
      askClock: machine,
      random,
      traces,
      ...redisPrefix,
    }),
  )

  const participant = await openParticipant(config, scan, clock, { logger, events })
  if (participant !== undefined) opened.use(participant)
  const ready = () => !stopping && scan.discovery.roster !== undefined
  const { quorumReachable } = scan
  const uptimeMs = () => machine.now() - started
  // Tokens are of the time that their issuer has, wherever a localnet's time was moved to.
  const verifier = new VerifierOnDemand(async () => {
    const { JoseVerifier } = await import('./auth/verifier.jose.ts')
    return new JoseVerifier(config.auth, { clock: machine })
  })
  names?.raiseChanges((topics) => scan.generations.raise(topics))
  const { missesPerSecond } = config.http
  const appOptions = {
    network: config.network === 'localnet' ? 'localnet' : undefined,
    missesPerSecond,
  } as const
  const updates = names?.updates(ledgerReaders(config), verifier, machine) ?? participant?.updates
  const { discovery, connections, evidence } = scan
  const page = opened.use(
    new Page(
      { version },
      {
        sources: { discovery, connections, evidence, network: config.network, lastHour },
        examiner: scan.examiner,
        trials: localnet && trialsOf(config, localnet, names),
        clock: machine,
      },
    ),
  )
  const appDeps = {
    reader: scan.reader,
    verifier: config.auth.scanProxy === 'bearer' ? verifier : undefined,
    ledgerRoutes: (names ?? participant)?.routes(verifier),
    ledgerApiRoutes: updates && ledgerApiRoutes(config.ledger, { service: updates, clock: machine }),
    about: { version, versionTime, ready, quorumReachable, uptimeMs },
    page: config.ui.public ? (spend: Spend) => page.forAnyone(spend) : undefined,
    clock,
    events,
    logger,
  }
  const api = createPublicApi(appOptions, appDeps)
  const budget = new MissBudget(missesPerSecond, machine)
  const operationsApp = createOperationsApp({
    allowedHosts: config.operations.allowedHosts,
    metrics: (accept) => {
      scan.tellReachability()
      if (updates !== undefined) metrics.ledger_readers.set(updates.readers)
      return metrics.scrape(accept)
    },
    ready,
    quorumReachable,
    status: () => status(config, scan, names, { ready, uptimeMs, wall: () => machine.wall() }),
    evidence: () => evidenceOf(scan.evidence),
    prune: names && ((upTo) => names.ledger.prune(upTo)),
    page: page.forOperators((address) => budget.spend(address)),
  })

  const sockets = updates && (await openStreams(updates, machine, { refuse: api.refuse, logger }))
  const http = await HttpServer.listen(
    config.http,
    (request, env) => api.app.fetch(request, env),
    machine,
    api.shortcut,
    sockets,
  )
  opened.defer(() => http.close(config.http.shutdownTimeoutMs))
  const operations = await HttpServer.listen(
    config.operations,
    (request, env) => operationsApp.fetch(request, env),
    machine,
  )
  opened.defer(() => operations.close(0))
  await scan.discovery.start()
  tellListening(events, http, operations, localnet)

  const held = opened.move()
  let stopped: Promise<void> | undefined
  return {
    http: http.url,
    operations: operations.url,
    localnet,
    names,
    scan,
    [Symbol.asyncDispose]() {
      stopped ??= (async () => {
        stopping = true
        events.shuttingDown('asked to')
        page[Symbol.dispose]()
        if (config.http.shutdownDelayMs > 0) await wait(machine, config.http.shutdownDelayMs)
        await http.close(config.http.shutdownTimeoutMs)
        await held.disposeAsync()
      })()
      return stopped
    },
  }
}

/** Loaded only where it is used: no other network needs it. */
async function openLocalnet(
  { localnet, names, operations: { allowedHosts } }: Config,
  clock: Clock,
  service: NameService | undefined,
): Promise<Localnet> {
  const { startLocalnet } = await import('./localnet/localnet.ts')
  const { superValidators, port, controlPort } = localnet
  return startLocalnet(
    { superValidators, port, controlPort, allowedHosts, acronym: names.acronym ?? 'cns' },
    service === undefined ? { clock } : { clock, ledger: service.ledger, settle: () => service.settle() },
  )
}

/** Likewise: a daemon without a ledger of its own loads none. */
async function openNames(
  { ledger, names }: Config,
  clock: AdvancingClock,
  telemetry: Telemetry,
): Promise<NameService> {
  const { openNameService } = await import('./compose-ledger.ts')
  const [service] = await Promise.all([
    openNameService(
      { file: ledger.file, acronym: names.acronym ?? 'cns', retainMs: ledger.retainMs },
      { clock, ...telemetry },
    ),
    // While the ledger's thread starts this one has nothing else to do.
    import('./localnet/localnet.ts'),
  ])
  return service
}

/** Likewise. */
async function openTraces({ traces }: Config, events: Events): Promise<Traces | undefined> {
  const { endpoint, sampler, samplerRatio } = traces
  if (endpoint === undefined) return undefined
  const { OtelTraces } = await import('./telemetry/traces.otel.ts')
  return new OtelTraces(
    { endpoint, sampler, samplerRatio, version },
    { lost: (spans, why) => events.spansLost(spans, why) },
  )
}

/** WebSockets are loaded only with a ledger, as nothing else has streams. */
async function openStreams(
  service: LedgerStreamsDeps['service'],
  clock: Clock,
  { refuse, logger }: Pick<PublicApi, 'refuse'> & Pick<Telemetry, 'logger'>,
): Promise<Upgrades> {
  const [{ WsSockets }, { ledgerStreams }] = await Promise.all([
    import('./http/sockets.ws.ts'),
    import('./http/routes/ledger-streams.ts'),
  ])
  const tellSlow = () => logger.warn({}, 'a reader of the ledger was closed: it is too slow')
  return new WsSockets(ledgerStreams({ service, logger }), { clock, refuse, tellSlow })
}

/** Likewise. What it needs of the network is what a quorum says, as for everybody who asks. */
async function openParticipant(
  { ledger, names }: Config,
  { reader }: ReadPath,
  clock: Clock,
  telemetry: Telemetry,
): Promise<ParticipantService | undefined> {
  if (ledger.driver !== 'participant' || ledger.url === undefined) return undefined
  const { openParticipantService } = await import('./compose-participant.ts')
  const agreed = async (read: Read, params: Params): Promise<unknown> => {
    const { answer } = await reader.lookup(read, params).load()
    return answer.kind === 'value' ? JSON.parse(answer.body.toString()) : undefined
  }
  return openParticipantService({ url: ledger.url, acronym: names.acronym }, { clock, ...telemetry, agreed })
}

/** On a localnet time can be moved forward. */
async function advancing({ network }: Config, clock: Clock): Promise<AdvancingClock | undefined> {
  if (network !== 'localnet') return undefined
  const { AdvancingClock } = await import('./localnet/advancing-clock.ts')
  return new AdvancingClock(clock)
}

/** What the embedded ledger wants of who reads it. */
function ledgerReaders({ ledger, auth }: Config) {
  return { anyPartyUsers: ledger.anyPartyUsers, audience: auth.audience, scope: auth.scope }
}

/** What people may try out on a localnet. */
function trialsOf({ names }: Config, localnet: Localnet, service: NameService | undefined): Trials {
  return {
    kinds: localnet.faults,
    nodes: () =>
      localnet.show().map(({ name, fault }) => ({
        name,
        faults: [fault].flat().flatMap((each) => (each as { kind: string } | null)?.kind ?? []),
      })),
    setFault: (name, kind) => localnet.setFault(name, kind === undefined ? undefined : ({ kind } as Faults)),
    registration: service && { acronym: names.acronym ?? 'cns', register: service.register },
  }
}

/** A localnet's daemon asks the nodes of its own process, unless it was given others. */
function withSeeds(config: Config, { superValidators }: Localnet): Config {
  if (config.scanClient.seedUrls.length > 0) return config
  const all = superValidators.map(({ url }) => url)
  const seedUrls = config.scanClient.scanType === 'trust-single' ? all.slice(0, 1) : all
  return { ...config, scanClient: { ...config.scanClient, seedUrls } }
}

function loggerOf({ logLevel, cache, auth }: Config): Logger {
  const secrets = [cache.redis.secret, auth.unsafeSecret].filter((secret) => secret !== undefined)
  return createLogger({ level: logLevel, version, secrets })
}

function status(
  config: Config,
  scan: ReadPath,
  names: NameService | undefined,
  about: Pick<StatusSources, 'ready' | 'uptimeMs' | 'wall'>,
): unknown {
  return statusOf({
    version,
    network: config.network,
    mode: config.scanClient.scanType,
    discovery: scan.discovery,
    connections: scan.connections,
    ...about,
    cache: () => ({ ...scan.memory.bytes, maxBytes: config.cache.maxBytes }),
    ledger: {
      driver: config.ledger.driver,
      ...(config.ledger.driver === 'embedded' && {
        kept: config.ledger.file ?? 'nothing: it is in memory and forgotten at exit',
      }),
      ...(names?.ledger.writesStopped !== undefined && { writesStopped: names.ledger.writesStopped }),
      ...(config.ledger.driver === 'participant' && { url: config.ledger.url }),
    },
    redis: () => (config.cache.redis.url === undefined ? 'none' : scan.redisUp() ? 'up' : 'down'),
  })
}

function tellListening(
  events: Events,
  http: HttpServer,
  operations: HttpServer,
  localnet: Localnet | undefined,
): void {
  const addresses = { http: http.url, operations: operations.url }
  if (localnet === undefined) return events.listening(addresses)
  const superValidators = Object.fromEntries(localnet.superValidators.map(({ name, url }) => [name, url]))
  events.listening({ ...addresses, control: localnet.control, superValidators })
}

function wait(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.after(ms, resolve))
}
