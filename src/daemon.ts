import type { ReadPath } from './compose.ts'
import type { Addresses } from './compose-addresses.ts'
import type { NameService } from './compose-ledger.ts'
import type { ParticipantService } from './compose-participant.ts'
import type { Config } from './config/resolve.ts'
import type { AdvancingClock } from './lib/advancing-clock.ts'
import { type Clock, systemClock } from './lib/clock.ts'
import { type Random, systemRandom } from './lib/random.ts'
import type { Localnet } from './localnet/localnet.ts'
import type { Question } from './reads/read.ts'
import { readIds } from './reads/table.ts'
import { createEvents } from './telemetry/create-events.ts'
import type { Events } from './telemetry/events.ts'
import { LastHour } from './telemetry/last-hour.ts'
import { createLogger, type Logger } from './telemetry/logger.ts'
import { createMetrics, type Metrics } from './telemetry/metrics.ts'
import type { Traces } from './telemetry/traces.ts'
import { version } from './version.ts'

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

/** What everything else of a daemon stands on. */
interface Base {
  /** The time of the machine. */
  readonly machine: Clock
  /** By the machine's `now()`. */
  readonly startedAt: number
  /** Time that can be moved forward, on a localnet. */
  readonly movable: AdvancingClock | undefined
  /** What answers age by. */
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly metrics: Metrics
  readonly lastHour: LastHour
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
  const base = await layBase(given, overrides)
  const { clock } = base
  await using opened = new AsyncDisposableStack()
  const opening = await beginNames(given, base)
  const [names, { composeReadPath }, { openAddresses }] = await Promise.all([
    opening?.service,
    // While the ledger's thread starts this one has nothing else to do.
    import('./compose.ts'),
    import('./compose-addresses.ts'),
  ])
  if (names !== undefined) opened.use(names)
  const localnet =
    given.network === 'localnet' ? opened.use(await openLocalnet(given, clock, names)) : undefined
  const config = localnet === undefined ? given : withSeeds(given, localnet)
  const traces = await openTraces(config, base.events)
  if (traces !== undefined) opened.use(traces)
  const { redisPrefix } = overrides
  const readPathDeps = {
    ...base,
    askClock: base.machine,
    traces,
    ...(redisPrefix !== undefined && { redisPrefix }),
  }
  const scan = opened.use(await composeReadPath(config, readPathDeps))
  const participant = await openParticipant(config, scan, base)
  if (participant !== undefined) opened.use(participant)
  names?.raiseChanges((topics) => scan.generations.raise(topics))
  const addresses = opened.use(await openAddresses(config, { ...base, scan, localnet, names, participant }))
  await scan.discovery.start()
  tellListening(base.events, addresses, localnet)
  const stop = stopping(config, base, addresses, opened.move())
  const { http, operations } = addresses
  return { http: http.url, operations: operations.url, localnet, names, scan, [Symbol.asyncDispose]: stop }
}

async function layBase(config: Config, overrides: Overrides): Promise<Base> {
  const { clock: machine = systemClock, random = systemRandom, processMetrics = false } = overrides
  const startedAt = machine.now()
  const movable = await advancing(config, machine)
  const logger = overrides.logger ?? loggerOf(config)
  const { spliceNames } = config.metrics
  const metrics = createMetrics({ version, reads: readIds, spliceNames, processMetrics })
  const lastHour = new LastHour(machine)
  const events = createEvents({ metrics, logger, clock: machine, lastHour })
  return { machine, startedAt, movable, clock: movable ?? machine, random, logger, metrics, lastHour, events }
}

/** Stops once, however often it is called: first nobody is told that this is ready, then addresses close. */
function stopping(
  { http }: Config,
  { machine, events }: Base,
  addresses: Addresses,
  rest: AsyncDisposable,
): () => Promise<void> {
  let stopped: Promise<void> | undefined
  const stop = async () => {
    addresses.stopping()
    events.shuttingDown('asked to')
    if (http.shutdownDelayMs > 0) await wait(machine, http.shutdownDelayMs)
    await addresses.http.close(http.shutdownTimeoutMs)
    await rest[Symbol.asyncDispose]()
  }
  return () => (stopped ??= stop())
}

/** Resolves when the ledger's thread has begun to start. A daemon without a ledger of its own loads none. */
async function beginNames(
  { ledger, names }: Config,
  { movable, logger, events }: Base,
): Promise<{ readonly service: Promise<NameService> } | undefined> {
  if (movable === undefined || ledger.driver !== 'embedded') return undefined
  const { openNameService } = await import('./compose-ledger.ts')
  const options = { file: ledger.file, acronym: names.acronym ?? 'cns', retainMs: ledger.retainMs }
  return { service: openNameService(options, { clock: movable, logger, events }) }
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

/** Likewise. What it needs of the network is what a quorum says, as for everybody who asks. */
async function openParticipant(
  { ledger, names }: Config,
  { reader }: ReadPath,
  { clock, logger, events }: Base,
): Promise<ParticipantService | undefined> {
  if (ledger.driver !== 'participant' || ledger.url === undefined) return undefined
  const { openParticipantService } = await import('./compose-participant.ts')
  const agreed = async (question: Question): Promise<unknown> => {
    const { answer } = await reader.answer(question)
    return answer.kind === 'value' ? JSON.parse(answer.body.toString()) : undefined
  }
  return openParticipantService(
    { url: ledger.url, acronym: names.acronym },
    { clock, logger, events, agreed },
  )
}

/** On a localnet time can be moved forward. */
async function advancing({ network }: Config, clock: Clock): Promise<AdvancingClock | undefined> {
  if (network !== 'localnet') return undefined
  const { AdvancingClock } = await import('./lib/advancing-clock.ts')
  return new AdvancingClock(clock)
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

function tellListening(
  events: Events,
  { http, operations }: Addresses,
  localnet: Localnet | undefined,
): void {
  const urls = { http: http.url, operations: operations.url }
  if (localnet === undefined) return events.listening(urls)
  const superValidators = Object.fromEntries(localnet.superValidators.map(({ name, url }) => [name, url]))
  events.listening({ ...urls, control: localnet.control, superValidators })
}

function wait(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.after(ms, resolve))
}
