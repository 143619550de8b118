import { type Config, withSeeds } from './base/config/resolve.ts'
import type { ConfigurationChanges } from './base/telemetry/daemon-events.ts'
import type { Events } from './base/telemetry/events.ts'
import { listeningUrls, type StartedWith } from './base/telemetry/listening.ts'
import { type BaseOverrides, openBase } from './base/telemetry/open.ts'
import { readIds } from './core/reads/endpoints.ts'
import { openReadPath, type ReadPath } from './core/scan/open.ts'
import type { NameService } from './localnet/automation/name-service.ts'
import type { Localnet } from './localnet/localnet.ts'
import { openAddresses } from './server/http/open.ts'
import { openPage } from './server/ui/open.ts'

export interface Overrides extends BaseOverrides, StartedWith {
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
  /** How reads are answered: the super validators, the votes, and the cache. */
  readonly scan: ReadPath
}

/**
 * Resolves when the addresses are open and the first attempt to learn the super validators has
 * ended, successfully or not. The addresses answer before that, and before the line that says so
 * is logged. A rejection leaves nothing open.
 */
export async function startDaemon(given: Config, overrides: Overrides = {}): Promise<Daemon> {
  await using opened = new AsyncDisposableStack()
  const wings = await openWings(given, overrides, opened)
  const { base, events, seeded, scan, mirror, localnet, names } = wings
  const config = seeded(given)
  let current = config
  const page = opened.use(openPage(() => current, wings))
  const addresses = opened.use(await openAddresses(config, { ...wings, page }))
  await scan.discovery.start()
  mirror?.start()
  const [http, operations] = [addresses.http.url, addresses.operations.url]
  const isAnswering = scan.discovery.roster !== undefined
  events.listening(listeningUrls(config, overrides, { http, operations, isAnswering, localnet }))
  const held = opened.move()
  let stopped: Promise<void> | undefined
  const stopAll = async (reason: string) => {
    const began = base.realClock.now()
    await addresses.shutDown(reason)
    await held.disposeAsync()
    events.close()
    events.stopped(base.realClock.now() - began, addresses.http.requestsCut)
    await base.logOutput?.end()
  }
  const stop = (reason: string) => (stopped ??= stopAll(reason))
  return {
    http,
    operations,
    localnet,
    names,
    scan,
    events,
    stop,
    async reload(next, changes) {
      if (stopped !== undefined) return
      base.reload(next, changes)
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
  const base = opened.use(await openBase(given, readIds, overrides))
  const { movable: clock } = base
  // The base has a movable clock only if the network is `localnet`.
  const local = opened.use(
    clock && (await (await import('./localnet/open.ts')).openLocalnet(given, { ...base, clock })),
  )
  const seeded = (config: Config) => (local === undefined ? config : withSeeds(config, local.seedUrls))
  const config = seeded(given)

  const { redisPrefix } = overrides
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
      ? (await import('./registry/names/participant-registry.ts')).participantRegistry(config, {
          ...base,
          ...scan,
        })
      : undefined,
  )
  const { nodes: localnet, names } = local ?? {}
  return { ...base, base, seeded, scan, mirror, receipts, participant, localnet, names }
}
