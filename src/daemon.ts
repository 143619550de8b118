import { isatty } from 'node:tty'
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
import type { ConfigurationChanges, Events } from './telemetry/events.ts'
import { LastHour } from './telemetry/last-hour.ts'
import { type AdjustableLogger, createLogger, type Logger, type LoggerSettings } from './telemetry/logger.ts'
import { createMetrics, type Metrics } from './telemetry/metrics.ts'
import type { Traces } from './telemetry/traces.ts'
import { version } from './version.ts'

/** Replacements that tests and other programs can inject. */
export interface Overrides {
  readonly clock?: Clock
  readonly random?: Random
  readonly logger?: Logger
  /** Part of every Redis key. Daemons with different prefixes share nothing in one Redis. */
  readonly redisPrefix?: string
  /** Enables Node's own process metrics. They can be collected only once per process. */
  readonly processMetrics?: boolean
}

/** The parts that everything else in a daemon depends on. */
interface Base {
  /** Real time, even if a localnet's time was moved. */
  readonly machine: Clock
  /** `machine.now()` at the start. */
  readonly startedAt: number
  /** The clock that a localnet can move forward. */
  readonly movable: AdvancingClock | undefined
  /** Determines the age of answers. */
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  /** The logger, unless it was injected. */
  readonly own: AdjustableLogger | undefined
  readonly metrics: Metrics
  readonly lastHour: LastHour
  readonly events: Events
}

/** A running daemon. Disposing it stops it as SIGTERM does. */
export interface Daemon extends AsyncDisposable {
  /** Stops it once, however often it is called. @param reason for the log, such as the name of a signal. */
  stop(reason: string): Promise<void>
  /**
   * Applies the options of this configuration that reload (`docs/configuration.md`). Requests in progress are not
   * disturbed. The log level stays if this configuration has the same one as the former.
   * @param changes what the log says about it.
   */
  reload(config: Config, changes?: ConfigurationChanges): Promise<void>
  readonly events: Events
  /** Base URL of the public address. */
  readonly http: string
  readonly operations: string
  /** Set on a localnet. */
  readonly localnet: Localnet | undefined
  /** Set if the daemon runs the embedded ledger. */
  readonly names: NameService | undefined
  readonly scan: ReadPath
}

/**
 * Starts everything and resolves when the daemon can answer, either with a roster or while it still asks for one.
 * Rejects, and leaves nothing open, if an address cannot be bound.
 */
export async function startDaemon(given: Config, overrides: Overrides = {}): Promise<Daemon> {
  const base = await layBase(given, overrides)
  const { clock } = base
  await using opened = new AsyncDisposableStack()
  const opening = await beginNames(given, base)
  const [names, { composeReadPath }, { openAddresses }] = await Promise.all([
    opening?.service,
    // Loads modules while the ledger's thread starts, because the main thread would otherwise be idle.
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
    keepsMirror: true,
    traces,
    ...(redisPrefix !== undefined && { redisPrefix }),
  }
  const scan = opened.use(await composeReadPath(config, readPathDeps))
  const participant = await openParticipant(config, scan, base)
  if (participant !== undefined) opened.use(participant)
  names?.invalidateChanges((topics) => scan.invalidations.invalidate(topics))
  const addresses = opened.use(await openAddresses(config, { ...base, scan, localnet, names, participant }))
  await scan.discovery.start()
  scan.mirror?.start()
  const isAnswering = scan.discovery.roster !== undefined
  tellListening(
    isAnswering ? exampleOf(config, addresses.http.url) : undefined,
    base.events,
    addresses,
    localnet,
  )
  const { stop, isStopping } = stopping(config, base, { addresses, scan }, opened.move())
  const { http, operations } = addresses
  const reloadLog = logReload(given, base)
  return {
    http: http.url,
    operations: operations.url,
    localnet,
    names,
    scan,
    events: base.events,
    stop,
    reload: async (next, changes) => {
      if (isStopping()) return
      reloadLog(next, changes)
      const seeded = localnet === undefined ? next : withSeeds(next, localnet)
      scan.reload(seeded)
      await addresses.reload(seeded)
    },
    [Symbol.asyncDispose]: () => stop('asked to'),
  }
}

async function layBase(config: Config, overrides: Overrides): Promise<Base> {
  const { clock: machine = systemClock, random = systemRandom, processMetrics = false } = overrides
  const startedAt = machine.now()
  const movable = await advancing(config, machine)
  const own = overrides.logger === undefined ? await openLogger(config) : undefined
  const logger = overrides.logger ?? (own as AdjustableLogger)
  const { spliceNames } = config.metrics
  const metrics = createMetrics({ version, reads: readIds, spliceNames, processMetrics })
  const lastHour = new LastHour(machine)
  const events = createEvents({ metrics, logger, clock: machine, lastHour })
  const clock = movable ?? machine
  return { machine, startedAt, movable, clock, random, logger, own, metrics, lastHour, events }
}

/** Stops the daemon once, however often it is called. Readiness ends first, then the addresses close. */
function stopping(
  { http }: Config,
  { machine, events }: Base,
  { addresses, scan }: { readonly addresses: Addresses; readonly scan: ReadPath },
  rest: AsyncDisposable,
): Pick<Daemon, 'stop'> & { readonly isStopping: () => boolean } {
  let stopped: Promise<void> | undefined
  const stop = async (reason: string) => {
    const began = machine.now()
    addresses.stopping()
    events.shuttingDown(reason, addresses.http.requestsInProgress)
    if (http.shutdownDelayMs > 0) await wait(machine, http.shutdownDelayMs)
    await addresses.http.close(http.shutdownTimeoutMs, (error) => scan.cut(error))
    await rest[Symbol.asyncDispose]()
    events.close()
    events.stopped(machine.now() - began, addresses.http.requestsCut)
  }
  return { stop: (reason) => (stopped ??= stop(reason)), isStopping: () => stopped !== undefined }
}

/** Resolves when the ledger's thread has begun to start. Loads nothing if the daemon has no embedded ledger. */
async function beginNames(
  { ledger, names }: Config,
  { movable, logger, events }: Base,
): Promise<{ readonly service: Promise<NameService> } | undefined> {
  if (movable === undefined || ledger.driver !== 'embedded') return undefined
  const { openNameService } = await import('./compose-ledger.ts')
  const options = { file: ledger.file, acronym: names.acronym ?? 'cns', retainMs: ledger.retainMs }
  return { service: openNameService(options, { clock: movable, logger, events }) }
}

/** Imports the localnet on demand, because no other network needs it. */
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

/** Imports OpenTelemetry only if traces are configured. */
async function openTraces({ traces }: Config, events: Events): Promise<Traces | undefined> {
  const { endpoint, sampler, samplerRatio } = traces
  if (endpoint === undefined) return undefined
  const { OtelTraces } = await import('./telemetry/traces.otel.ts')
  return new OtelTraces(
    { endpoint, sampler, samplerRatio, version },
    { lost: (spans, why) => events.spansLost(spans, why) },
  )
}

/**
 * Imports the participant's ledger only if it is configured. It learns about the network from quorum answers, as every
 * other caller does.
 */
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

/** Makes the clock movable on a localnet. */
async function advancing({ network }: Config, clock: Clock): Promise<AdvancingClock | undefined> {
  if (network !== 'localnet') return undefined
  const { AdvancingClock } = await import('./lib/advancing-clock.ts')
  return new AdvancingClock(clock)
}

/** Makes a localnet's daemon ask the nodes of its own process, unless other seeds are configured. */
function withSeeds(config: Config, { superValidators }: Localnet): Config {
  if (config.scanClient.seedUrls.length > 0) return config
  const all = superValidators.map(({ url }) => url)
  const seedUrls = config.scanClient.scanType === 'trust-single' ? all.slice(0, 1) : all
  return { ...config, scanClient: { ...config.scanClient, seedUrls } }
}

/** Imports what writes lines for people only if somebody reads them in a terminal. */
async function openLogger(config: Config): Promise<AdjustableLogger> {
  const settings = { ...loggerSettings(config), version }
  const format = config.log.format ?? (isatty(1) ? 'pretty' : 'json')
  if (format === 'json') return createLogger(settings)
  const { prettyLines } = await import('./telemetry/pretty-lines.pino-pretty.ts')
  return createLogger({ ...settings, to: prettyLines() })
}

function loggerSettings({ logLevel, cache, auth }: Config): LoggerSettings {
  const secrets = [cache.redis.secret, auth.unsafeSecret].filter((secret) => secret !== undefined)
  return { level: logLevel, secrets }
}

/** Applies the log's options. Its line about the changes has whichever of the two levels writes more. */
function logReload({ logLevel }: Config, { own, events }: Base) {
  let configured = logLevel
  return (next: Config, changes: ConfigurationChanges | undefined) => {
    const { level, ...secrets } = loggerSettings(next)
    const changed = level === configured ? undefined : level
    configured = level
    const adjust = () => own?.adjust(changed === undefined ? secrets : { ...secrets, level: changed })
    const isFirst = own !== undefined && changed !== undefined && own.isQuieter(changed)
    if (!isFirst) adjust()
    if (changes !== undefined) events.configurationReloaded(changes)
    if (isFirst) adjust()
  }
}

function tellListening(
  example: string | undefined,
  events: Events,
  { http, operations }: Addresses,
  localnet: Localnet | undefined,
): void {
  const urls = { http: http.url, operations: operations.url, ...(example !== undefined && { example }) }
  if (localnet === undefined) return events.listening(urls)
  const superValidators = Object.fromEntries(localnet.superValidators.map(({ name, url }) => [name, url]))
  events.listening({ ...urls, control: localnet.control, superValidators })
}

/** A lookup that this network answers with 200. Only a localnet has a name service whose acronym is known for sure. */
function exampleOf({ network, names }: Config, http: string): string {
  const path = network === 'localnet' ? `ans-entries/by-name/dso.${names.acronym}` : 'dso-party-id'
  const base = http.replace('://0.0.0.0:', '://127.0.0.1:').replace('://[::]:', '://[::1]:')
  return `curl -s '${base}/api/scan/v0/${path}'`
}

function wait(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.after(ms, resolve))
}
