import type { NameService } from './automation/name-service.ts'
import type { Config } from './config/resolve.ts'
import { type Addresses, openAddresses } from './http/open.ts'
import { AdvancingClock } from './lib/advancing-clock.ts'
import { type Clock, systemClock } from './lib/clock.ts'
import { type Random, systemRandom } from './lib/random.ts'
import type { Localnet } from './localnet/localnet.ts'
import { openReadPath, type ReadPath } from './scan/open.ts'
import type { ConfigurationChanges, Events } from './telemetry/events.ts'
import { listeningUrls, type StartedWith } from './telemetry/listening.ts'
import type { LogOutput } from './telemetry/log-output.ts'
import { openTelemetry, type TelemetryOverrides } from './telemetry/open.ts'
import { openPage } from './ui/open.ts'

export interface Overrides extends TelemetryOverrides, StartedWith {
  readonly random?: Random
  /** Daemons with different prefixes share nothing in one Redis. */
  readonly redisPrefix?: string
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
  await using opened = new AsyncDisposableStack()
  const wings = await openWings(given, overrides, opened)
  const { telemetry, events, seeded, scan, mirror, localnet, names } = wings
  const config = seeded(given)
  let current = config
  const page = opened.use(openPage(() => current, wings))
  const addresses = opened.use(await openAddresses(config, { ...wings, page }))
  await scan.discovery.start()
  mirror?.start()
  const [http, operations] = [addresses.http.url, addresses.operations.url]
  const isAnswering = scan.discovery.roster !== undefined
  events.listening(listeningUrls(config, overrides, { http, operations, isAnswering, localnet }))
  const { stop, isStopping } = stopping(config, { ...wings, addresses }, opened.move())
  return {
    http,
    operations,
    localnet,
    names,
    scan,
    events,
    stop,
    async reload(next, changes) {
      if (isStopping()) return
      telemetry.reload(next, changes)
      current = seeded(next)
      scan.discovery.reload(current)
      await addresses.reload(current)
    },
    reloadProblems: (next) => scan.discovery.newProblems(seeded(next)),
    [Symbol.asyncDispose]: () => stop('asked to'),
  }
}

/** What only some daemons need is loaded only by them. */
async function openWings(given: Config, overrides: Overrides, opened: AsyncDisposableStack) {
  const { clock: realClock = systemClock, random = systemRandom, redisPrefix } = overrides
  const startedAt = realClock.now()
  const movable = given.network === 'localnet' ? new AdvancingClock(realClock) : undefined
  const telemetry = opened.use(await openTelemetry(given, overrides))
  const base = { ...telemetry, startedAt, clock: movable ?? realClock, realClock, random }

  const local = opened.use(
    movable && (await (await import('./localnet/open.ts')).openLocalnet(given, { ...base, clock: movable })),
  )
  const seeded = (config: Config) => local?.seeded(config) ?? config
  const config = seeded(given)

  const keepsProvenance = config.receipts.sign !== 'off'
  const scan = opened.use(await openReadPath(config, { ...base, redisPrefix, keepsProvenance }))
  local?.start(scan)

  const mirror = opened.use(
    config.mirror.level === 'off'
      ? undefined
      : await (await import('./mirror/open.ts')).openMirror(config, { ...base, scan }),
  )
  const electors = () => scan.discovery.roster
  const receipts = opened.use(
    keepsProvenance
      ? await (await import('./receipts/open.ts')).openReceipts(config, { ...base, electors })
      : undefined,
  )
  const participant = opened.use(
    config.ledger.driver === 'participant'
      ? (await import('./names/open.ts')).openRegistry(config, { ...base, reader: scan.reader })
      : undefined,
  )
  const { nodes: localnet, names } = local ?? {}
  return { ...base, telemetry, seeded, scan, mirror, receipts, participant, localnet, names }
}

interface Stopping {
  readonly realClock: Clock
  readonly scan: ReadPath
  readonly addresses: Addresses
  readonly events: Events
  readonly logOutput: LogOutput | undefined
}

/** The readiness check fails for `http.shutdownDelay` before the addresses close. */
function stopping(
  { http: { shutdownDelayMs, shutdownTimeoutMs } }: Config,
  { realClock, scan, addresses, events, logOutput }: Stopping,
  opened: AsyncDisposable,
): Pick<Daemon, 'stop'> & { readonly isStopping: () => boolean } {
  let stopped: Promise<void> | undefined
  const stop = async (reason: string) => {
    const began = realClock.now()
    addresses.stopping()
    events.shuttingDown(reason, addresses.http.requestsInProgress)
    if (shutdownDelayMs > 0) await passing(shutdownDelayMs, realClock)
    await addresses.http.close(shutdownTimeoutMs, (error) => scan.cut(error))
    await opened[Symbol.asyncDispose]()
    events.close()
    events.stopped(realClock.now() - began, addresses.http.requestsCut)
    await logOutput?.end()
  }
  return { stop: (reason) => (stopped ??= stop(reason)), isStopping: () => stopped !== undefined }
}

function passing(ms: number, clock: Clock): Promise<void> {
  return new Promise((resolve) => void clock.after(ms, resolve))
}
