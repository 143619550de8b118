import type { ReadPath } from './compose.ts'
import type { Addresses } from './compose-addresses.ts'
import { type Base, type BaseOverrides, layBase, logReload } from './compose-base.ts'
import type { NameService } from './compose-ledger.ts'
import type { ComposedObservations } from './compose-observations.ts'
import type { ParticipantService } from './compose-participant.ts'
import type { ComposedReceipts } from './compose-receipts.ts'
import type { Config } from './config/resolve.ts'
import type { Clock } from './lib/clock.ts'
import { parseJsonText } from './lib/parse-json-text.ts'
import type { Localnet } from './localnet/localnet.ts'
import type { Question } from './reads/read.ts'
import type { ConfigurationChanges, Events } from './telemetry/events.ts'
import type { Traces } from './telemetry/traces.ts'
import { version } from './version.ts'

/** Replacements for parts of a daemon, for tests and other programs. */
export interface Overrides extends BaseOverrides {
  /**
   * The string that follows `bft:` in this daemon's Redis keys. Daemons with different prefixes share nothing
   * in one Redis.
   */
  readonly redisPrefix?: string
  /** The configuration files that were read, for the log. */
  readonly configurationFiles?: readonly string[]
  /** The network as the user named it, such as mainnet, for the log. */
  readonly networkName?: string
}

/** A running daemon. Disposing it stops the daemon as SIGTERM does. */
export interface Daemon extends AsyncDisposable {
  /**
   * Stops the daemon. Further calls wait for the first one.
   * @param reason the reason for the log, such as the name of a signal.
   */
  stop(reason: string): Promise<void>
  /**
   * Applies the values of the options that can be reloaded (`docs/configuration.md`). Requests in progress
   * are not disturbed. The log level changes only if this reload changes `logLevel`. Otherwise, a level that
   * an operator of the daemon has set by `PUT /admin/log-level` stays.
   * @param changes the changes, for the log line about the reload.
   */
  reload(config: Config, changes?: ConfigurationChanges): Promise<void>
  /**
   * Returns a sentence for each reason why this configuration must not be applied, because the present roster
   * does not fit it.
   */
  reloadProblems(config: Config): readonly string[]
  readonly events: Events
  /** The base URL of the public address. */
  readonly http: string
  readonly operations: string
  /** The localnet in this process; undefined on any other network. */
  readonly localnet: Localnet | undefined
  /** The name service. Undefined if the daemon does not run the embedded ledger. */
  readonly names: NameService | undefined
  readonly scan: ReadPath
}

/**
 * Starts a daemon. Resolves when its addresses are open and its first attempt to agree on a roster has ended,
 * successfully or not. If a file, the ledger, an address or anything else cannot be opened, rejects and
 * leaves nothing open.
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
    // The main thread would be idle while the ledger's thread starts, so it loads these modules meanwhile.
    import('./compose.ts'),
    import('./compose-addresses.ts'),
  ])
  if (names !== undefined) opened.use(names)
  const localnet =
    given.network === 'localnet' ? opened.use(await openLocalnet(given, clock, names)) : undefined
  const config = withSeeds(given, localnet)
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
  tellListening(config, overrides, base.events, { scan, addresses, localnet })
  const { stop, isStopping } = stopping(config, base, { addresses, scan }, opened.move())
  const reload = reloading(given, base, { scan, addresses, localnet })
  const { http, operations } = addresses
  return {
    http: http.url,
    operations: operations.url,
    localnet,
    names,
    scan,
    events: base.events,
    stop,
    reload: async (next, changes) => {
      if (!isStopping()) await reload(next, changes)
    },
    reloadProblems: (next) => scan.reloadProblems(withSeeds(next, localnet)),
    [Symbol.asyncDispose]: () => stop('asked to'),
  }
}

interface Running {
  readonly scan: ReadPath
  readonly addresses: Addresses
  readonly localnet: Localnet | undefined
}

function reloading(given: Config, base: Base, { scan, addresses, localnet }: Running): Daemon['reload'] {
  const reloadLog = logReload(given, base)
  return async (next, changes) => {
    reloadLog(next, changes)
    const config = withSeeds(next, localnet)
    scan.reload(config)
    await addresses.reload(config)
  }
}

/**
 * Makes the method `stop`. `stop` makes the readiness check fail, waits for `http.shutdownDelay`, and then
 * closes the addresses and everything else. Repeated calls wait for the first call.
 */
function stopping(
  { http }: Config,
  { machine, events }: Base,
  { addresses, scan }: Pick<Running, 'addresses' | 'scan'>,
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
 * Begins to open the name service. Resolves as soon as the ledger's thread is starting, so that the main thread can
 * load modules meanwhile. `service` resolves when the name service is open. If the daemon has no embedded ledger, this
 * function loads nothing and resolves with undefined.
 */
async function beginNames(
  { ledger, localnet: { acronym } }: Config,
  { movable, logger, events }: Base,
): Promise<{ readonly service: Promise<NameService> } | undefined> {
  if (movable === undefined || ledger.driver !== 'embedded') return undefined
  const { openNameService } = await import('./compose-ledger.ts')
  const options = { file: ledger.file, acronym, retainMs: ledger.retainMs }
  return { service: openNameService(options, { clock: movable, logger, events }) }
}

/** Starts the localnet. Its module is imported only here, because no other network needs it. */
async function openLocalnet(
  { localnet, operations: { allowedHosts } }: Config,
  clock: Clock,
  service: NameService | undefined,
): Promise<Localnet> {
  const { startLocalnet } = await import('./localnet/localnet.ts')
  const { superValidators, port, controlPort, acronym } = localnet
  return startLocalnet(
    { superValidators, port, controlPort, allowedHosts, acronym },
    service === undefined
      ? { clock }
      : { clock, ledger: service.ledger, runUntilIdle: () => service.runUntilIdle() },
  )
}

/** Opens the signing of receipts. Its module is imported only if `receipts.sign` is not `off`. */
async function openReceipts(config: Config, base: Base): Promise<ComposedReceipts | undefined> {
  if (config.receipts.sign === 'off') return undefined
  return (await import('./compose-receipts.ts')).openReceipts(config, base)
}

/**
 * Opens the comparison with peers. Returns undefined if no peers are configured. Its module is imported only
 * if there are peers.
 */
async function openObservations(
  config: Config,
  { machine: clock, events, logger }: Base,
  receipts: ComposedReceipts | undefined,
): Promise<ComposedObservations | undefined> {
  if (receipts === undefined || Object.keys(config.receipts.peers).length === 0) return undefined
  const { openObservations: open } = await import('./compose-observations.ts')
  return open(config, { clock, keys: receipts.keys, events, logger })
}

/** Opens the recording of traces. OpenTelemetry is imported only if traces are configured. */
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
 * Opens the service of a participant's ledger. Its module is imported only if a participant is configured.
 * The service asks the network's scans through the same read path as the public address.
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
    return answer.kind === 'value' ? parseJsonText(answer.body.toString()) : undefined
  }
  return openParticipantService(
    { url: ledger.url, acronym: names.acronym },
    { clock, logger, events, agreed },
  )
}

/**
 * If there is a localnet and no seeds are configured, makes the scans of the localnet the seeds. With the scan type
 * `trust-single`, only the first scan is a seed.
 */
function withSeeds(config: Config, localnet: Localnet | undefined): Config {
  if (localnet === undefined || config.scanClient.seedUrls.length > 0) return config
  const all = localnet.superValidators.map(({ url }) => url)
  const seedUrls = config.scanClient.scanType === 'trust-single' ? all.slice(0, 1) : all
  return { ...config, scanClient: { ...config.scanClient, seedUrls } }
}

/** Returns the settings that decide which super validators the daemon trusts, for the log. */
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
  config: Config,
  overrides: Overrides,
  events: Events,
  { scan, addresses: { http, operations }, localnet }: Running,
): void {
  const isAnswering = scan.discovery.roster !== undefined
  const urls = {
    http: http.url,
    operations: operations.url,
    ...startedWith(config, overrides),
    ...(isAnswering && { example: exampleOf(config, http.url) }),
  }
  if (localnet === undefined) return events.listening(urls)
  const superValidators = Object.fromEntries(localnet.superValidators.map(({ name, url }) => [name, url]))
  events.listening({ ...urls, control: localnet.control, superValidators })
}

/**
 * Returns a command line with a lookup that this network answers with 200. On a localnet, the command looks
 * up the name `dso.<acronym>`. On other networks, it asks for the DSO's party id, because the configured
 * acronym may not be the network's acronym.
 */
function exampleOf({ network, localnet }: Config, http: string): string {
  const path = network === 'localnet' ? `ans-entries/by-name/dso.${localnet.acronym}` : 'dso-party-id'
  const base = http.replace('://0.0.0.0:', '://127.0.0.1:').replace('://[::]:', '://[::1]:')
  return `curl -s '${base}/api/scan/v0/${path}'`
}

function wait(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.after(ms, resolve))
}
