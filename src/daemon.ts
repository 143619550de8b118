import type { ReadPath } from './compose.ts'
import type { Addresses } from './compose-addresses.ts'
import { type Base, type BaseOverrides, layBase, logReload } from './compose-base.ts'
import type { NameService } from './compose-ledger.ts'
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

export interface Overrides extends BaseOverrides {
  /** Daemons with different prefixes share nothing in one Redis. */
  readonly redisPrefix?: string
  readonly configurationFiles?: readonly string[]
  readonly networkName?: string
}

/** Disposing the daemon stops it as SIGTERM does. */
export interface Daemon extends AsyncDisposable {
  /**
   * Further calls wait for the first one.
   * @param reason the reason for the log, such as the name of a signal
   */
  stop(reason: string): Promise<void>
  /**
   * Applies the options that can be reloaded (`docs/configuration.md`). A log level set by `PUT
   * /admin/log-level` stays, unless this reload changes `logLevel`.
   */
  reload(config: Config, changes?: ConfigurationChanges): Promise<void>
  /** Returns a sentence for each reason why this configuration must not be applied. */
  reloadProblems(config: Config): readonly string[]
  readonly events: Events
  readonly http: string
  readonly operations: string
  readonly localnet: Localnet | undefined
  readonly names: NameService | undefined
  readonly scan: ReadPath
}

/**
 * Resolves when the addresses are open and the first attempt to learn the super validators has
 * ended, successfully or not. A rejection leaves nothing open.
 */
export async function startDaemon(given: Config, overrides: Overrides = {}): Promise<Daemon> {
  const base = await layBase(given, overrides)
  const { clock } = base
  await using opened = new AsyncDisposableStack()
  opened.defer(() => base.logOutput?.end())
  const receipts = await openReceipts(given, base)
  if (receipts !== undefined) opened.use(receipts)
  const [names, { composeReadPath }, { openAddresses }] = await Promise.all([
    openNames(given, base),
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
    askClock: base.realClock,
    keepsMirror: true,
    keepsProvenance: receipts !== undefined,
    traces,
    ...(redisPrefix !== undefined && { redisPrefix }),
  }
  const scan = opened.use(await composeReadPath(config, readPathDeps))
  const participant = await openParticipant(config, scan, base)
  if (participant !== undefined) opened.use(participant)
  names?.invalidateChanges((topics) => scan.invalidations.invalidate(topics))
  localnet?.onHealed((name) => scan.connections.probeNow(name))
  const sources = { ...base, scan, localnet, names, participant, receipts }
  const addresses = opened.use(await openAddresses(config, sources))
  await scan.discovery.start()
  scan.mirror?.start()
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

interface OpenParts {
  readonly scan: ReadPath
  readonly addresses: Addresses
  readonly localnet: Localnet | undefined
}

function reloading(given: Config, base: Base, { scan, addresses, localnet }: OpenParts): Daemon['reload'] {
  const reloadLog = logReload(given, base)
  return async (next, changes) => {
    reloadLog(next, changes)
    const config = withSeeds(next, localnet)
    scan.reload(config)
    await addresses.reload(config)
  }
}

/** The readiness check fails for `http.shutdownDelay` before the addresses close. */
function stopping(
  { http }: Config,
  { realClock, events, logOutput }: Base,
  { addresses, scan }: Pick<OpenParts, 'addresses' | 'scan'>,
  rest: AsyncDisposable,
): Pick<Daemon, 'stop'> & { readonly isStopping: () => boolean } {
  let stopped: Promise<void> | undefined
  const stop = async (reason: string) => {
    const began = realClock.now()
    addresses.stopping()
    events.shuttingDown(reason, addresses.http.requestsInProgress)
    if (http.shutdownDelayMs > 0) await wait(realClock, http.shutdownDelayMs)
    await addresses.http.close(http.shutdownTimeoutMs, (error) => scan.cut(error))
    await rest[Symbol.asyncDispose]()
    events.close()
    events.stopped(realClock.now() - began, addresses.http.requestsCut)
    await logOutput?.end()
  }
  return { stop: (reason) => (stopped ??= stop(reason)), isStopping: () => stopped !== undefined }
}

async function openNames(
  { ledger, localnet: { acronym } }: Config,
  { movable, logger, events }: Base,
): Promise<NameService | undefined> {
  if (movable === undefined || ledger.driver !== 'embedded') return undefined
  const { openNameService } = await import('./compose-ledger.ts')
  const { file, validatorUser, retainMs } = ledger
  const options = { file, acronym, validatorUser, retainMs }
  return openNameService(options, { clock: movable, logger, events })
}

async function openLocalnet(
  { localnet, operations: { allowedHosts } }: Config,
  clock: Clock,
  service: NameService | undefined,
): Promise<Localnet> {
  const { startLocalnet } = await import('./localnet/localnet.ts')
  const { superValidators, releases, port, controlPort, acronym } = localnet
  return startLocalnet(
    { superValidators, releases, port, controlPort, allowedHosts, acronym },
    service === undefined
      ? { clock }
      : { clock, ledger: service.ledger, runUntilIdle: () => service.runUntilIdle() },
  )
}

async function openReceipts(config: Config, base: Base): Promise<ComposedReceipts | undefined> {
  if (config.receipts.sign === 'off') return undefined
  return (await import('./compose-receipts.ts')).openReceipts(config, base)
}

async function openTraces({ traces }: Config, events: Events): Promise<Traces | undefined> {
  const { endpoint, sampler, samplerRatio } = traces
  if (endpoint === undefined) return undefined
  const { OtelTraces } = await import('./telemetry/traces.otel.ts')
  return new OtelTraces(
    { endpoint, sampler, samplerRatio, version },
    { lost: (spans, why) => events.spansLost(spans, why) },
  )
}

async function openParticipant(
  { ledger, names }: Config,
  { reader }: ReadPath,
  { clock, events }: Base,
): Promise<ParticipantService | undefined> {
  if (ledger.driver !== 'participant' || ledger.url === undefined) return undefined
  const { openParticipantService } = await import('./compose-participant.ts')
  const agreed = async (question: Question): Promise<unknown> => {
    const { answer } = await reader.answer(question)
    return answer.kind === 'value' ? parseJsonText(answer.body.toString()) : undefined
  }
  return openParticipantService(
    { url: ledger.url, validatorUser: ledger.validatorUser, acronym: names.acronym },
    { clock, events, agreed },
  )
}

/**
 * Without configured seeds, the scans of the localnet are the seeds. With the scan type
 * `trust-single`, only the first one is.
 */
function withSeeds(config: Config, localnet: Localnet | undefined): Config {
  if (localnet === undefined || config.scanClient.seedUrls.length > 0) return config
  const all = localnet.superValidators.map(({ url }) => url)
  const seedUrls = config.scanClient.scanType === 'trust-single' ? all.slice(0, 1) : all
  return { ...config, scanClient: { ...config.scanClient, seedUrls } }
}

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
  { scan, addresses: { http, operations }, localnet }: OpenParts,
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
 * The command asks a localnet for a name. On another network, the configured acronym may be wrong,
 * so the command asks for the DSO's party id.
 */
function exampleOf({ network, localnet }: Config, http: string): string {
  const path = network === 'localnet' ? `ans-entries/by-name/dso.${localnet.acronym}` : 'dso-party-id'
  const base = http.replace('://0.0.0.0:', '://127.0.0.1:').replace('://[::]:', '://[::1]:')
  return `curl -s '${base}/api/scan/v0/${path}'`
}

function wait(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.after(ms, resolve))
}
