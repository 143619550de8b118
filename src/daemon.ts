import { isatty } from 'node:tty'
import type { ReadPath } from './compose.ts'
import type { Addresses } from './compose-addresses.ts'
import type { NameService } from './compose-ledger.ts'
import type { ComposedObservations } from './compose-observations.ts'
import type { ParticipantService } from './compose-participant.ts'
import type { ComposedReceipts } from './compose-receipts.ts'
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

/** Replacements for parts of a daemon, for tests and other programs. */
export interface Overrides {
  readonly clock?: Clock
  readonly random?: Random
  readonly logger?: Logger
  /** A part of every Redis key. Daemons with different prefixes share nothing in one Redis. */
  readonly redisPrefix?: string
  /** The configuration files that were read, for the log. */
  readonly configurationFiles?: readonly string[]
  /** The network as the user named it, such as mainnet, for the log. */
  readonly networkName?: string
  /** Sentences about settings that are permitted but risky, for the log. */
  readonly configurationWarnings?: readonly string[]
  /** Whether metrics contain Node's own process metrics. Only one daemon per process can collect them. */
  readonly processMetrics?: boolean
}

/** The parts on which everything else in a daemon depends. */
interface Base {
  /** The clock of the machine, which is never moved. */
  readonly machine: Clock
  /** The time at which the daemon started, as a value of `machine.now()`. */
  readonly startedAt: number
  /** The clock that can be moved forward. Undefined unless the network is a localnet. */
  readonly movable: AdvancingClock | undefined
  /** The clock by which the age of answers is computed. */
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  /** The logger that the daemon made itself. Undefined if the caller gave one. */
  readonly own: AdjustableLogger | undefined
  readonly metrics: Metrics
  readonly lastHour: LastHour
  readonly events: Events
}

/** A running daemon. Disposing it stops the daemon as SIGTERM does. */
export interface Daemon extends AsyncDisposable {
  /**
   * Stops the daemon. Further calls wait for the first one.
   * @param reason the reason for the log, such as the name of a signal.
   */
  stop(reason: string): Promise<void>
  /**
   * Applies the values of those options that can be reloaded (`docs/configuration.md`). Requests in progress
   * are not disturbed. The log level changes only if it differs between the former configuration and this
   * one.
   * @param changes the changes, for a line in the log.
   */
  reload(config: Config, changes?: ConfigurationChanges): Promise<void>
  readonly events: Events
  /** The base URL of the public address. */
  readonly http: string
  readonly operations: string
  /** The localnet in this process; undefined on any other network. */
  readonly localnet: Localnet | undefined
  /** The name service. Undefined unless the daemon runs the embedded ledger. */
  readonly names: NameService | undefined
  readonly scan: ReadPath
}

/**
 * Starts a daemon. Resolves when the daemon can answer, with a roster or while it still asks for one. If it
 * cannot bind an address, it rejects and leaves nothing open.
 */
export async function startDaemon(given: Config, overrides: Overrides = {}): Promise<Daemon> {
  const base = await layBase(given, overrides)
  const { clock } = base
  await using opened = new AsyncDisposableStack()
  const receipts = await openReceipts(given, base)
  if (receipts !== undefined) opened.use(receipts)
  const observations = await openObservations(given, base, receipts)
  if (observations !== undefined) opened.use(observations)
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
    keepsProvenance: receipts !== undefined,
    observer: observations?.listener,
    traces,
    ...(redisPrefix !== undefined && { redisPrefix }),
  }
  const scan = opened.use(await composeReadPath(config, readPathDeps))
  const participant = await openParticipant(config, scan, base)
  if (participant !== undefined) opened.use(participant)
  names?.invalidateChanges((topics) => scan.invalidations.invalidate(topics))
  const sources = { ...base, scan, localnet, names, participant, receipts, observations }
  const addresses = opened.use(await openAddresses(config, sources))
  await scan.discovery.start()
  scan.mirror?.start()
  observations?.start()
  const isAnswering = scan.discovery.roster !== undefined
  tellListening(
    {
      ...startedWith(config, overrides),
      ...(isAnswering && { example: exampleOf(config, addresses.http.url) }),
    },
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
  for (const warning of overrides.configurationWarnings ?? []) logger.warn({}, warning)
  const { spliceNames } = config.metrics
  const metrics = createMetrics({ version, reads: readIds, spliceNames, processMetrics })
  const lastHour = new LastHour(machine)
  const events = createEvents({ metrics, logger, clock: machine, lastHour })
  const clock = movable ?? machine
  return { machine, startedAt, movable, clock, random, logger, own, metrics, lastHour, events }
}

/**
 * Makes the method that stops the daemon, once, however often it is called. Readiness ends first, and then
 * the addresses close.
 */
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

/**
 * Begins to open the name service. Resolves when the ledger's thread has begun to start. If the daemon has no
 * embedded ledger, it loads nothing and resolves with undefined.
 */
async function beginNames(
  { ledger, names }: Config,
  { movable, logger, events }: Base,
): Promise<{ readonly service: Promise<NameService> } | undefined> {
  if (movable === undefined || ledger.driver !== 'embedded') return undefined
  const { openNameService } = await import('./compose-ledger.ts')
  const options = { file: ledger.file, acronym: names.acronym ?? 'cns', retainMs: ledger.retainMs }
  return { service: openNameService(options, { clock: movable, logger, events }) }
}

/** Starts the localnet. It is imported only here, because no other network needs it. */
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

/** Opens the signing of receipts, which is imported only if `receipts.sign` is not `off`. */
async function openReceipts(config: Config, base: Base): Promise<ComposedReceipts | undefined> {
  if (config.receipts.sign === 'off') return undefined
  return (await import('./compose-receipts.ts')).openReceipts(config, base)
}

/** Imports what compares observations only if there are peers. */
async function openObservations(
  config: Config,
  { machine: clock, events, logger }: Base,
  receipts: ComposedReceipts | undefined,
): Promise<ComposedObservations | undefined> {
  if (receipts === undefined || Object.keys(config.receipts.peers).length === 0) return undefined
  const { openObservations: open } = await import('./compose-observations.ts')
  return open(config, { clock, keys: receipts.keys, telemetry: events.splitView, logger })
}

/** Opens the recording of traces. It imports OpenTelemetry only if traces are configured. */
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
 * Opens the service of a participant's ledger, which is imported only if it is configured. The service asks
 * the network's scans through the read path, as every other caller does.
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

/** Returns a clock that can be moved forward if the network is a localnet, and undefined otherwise. */
async function advancing({ network }: Config, clock: Clock): Promise<AdvancingClock | undefined> {
  if (network !== 'localnet') return undefined
  const { AdvancingClock } = await import('./lib/advancing-clock.ts')
  return new AdvancingClock(clock)
}

/** Makes the scans of the localnet the seeds, unless other seeds are configured. */
function withSeeds(config: Config, { superValidators }: Localnet): Config {
  if (config.scanClient.seedUrls.length > 0) return config
  const all = superValidators.map(({ url }) => url)
  const seedUrls = config.scanClient.scanType === 'trust-single' ? all.slice(0, 1) : all
  return { ...config, scanClient: { ...config.scanClient, seedUrls } }
}

/** Makes the logger. It imports the format for people only if the log goes to a terminal. */
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

/**
 * Returns a function that applies the options of the log after a reload. The line about the changes is
 * written at the more talkative one of the two levels.
 */
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

/** Returns the choices of the configuration that decide whom the daemon trusts, for the log. */
function startedWith(
  { network, scanClient: { scanType, threshold, dsoPartyId } }: Config,
  { configurationFiles, networkName = network }: Overrides,
) {
  return {
    network: networkName,
    threshold: scanType === 'trust-single' ? scanType : threshold,
    ...(dsoPartyId !== undefined && { dsoPartyId }),
    ...(configurationFiles !== undefined && { configurationFiles }),
  }
}

function tellListening(
  about: ReturnType<typeof startedWith> & { readonly example?: string },
  events: Events,
  { http, operations }: Addresses,
  localnet: Localnet | undefined,
): void {
  const urls = { http: http.url, operations: operations.url, ...about }
  if (localnet === undefined) return events.listening(urls)
  const superValidators = Object.fromEntries(localnet.superValidators.map(({ name, url }) => [name, url]))
  events.listening({ ...urls, control: localnet.control, superValidators })
}

/**
 * Returns the command for a lookup that this network answers with 200. Only on a localnet is the acronym of
 * the name service certain.
 */
function exampleOf({ network, names }: Config, http: string): string {
  const path = network === 'localnet' ? `ans-entries/by-name/dso.${names.acronym}` : 'dso-party-id'
  const base = http.replace('://0.0.0.0:', '://127.0.0.1:').replace('://[::]:', '://[::1]:')
  return `curl -s '${base}/api/scan/v0/${path}'`
}

function wait(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.after(ms, resolve))
}
