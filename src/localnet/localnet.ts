import { AdvancingClock } from '../base/lib/advancing-clock.ts'
import { type Clock, systemClock } from '../base/lib/clock.ts'
import type { EmbeddedLedger } from '../registry/ledger/embedded/embedded-ledger.ts'
import { type Controlled, openControl, type ShownSuperValidator } from './control.ts'
import { type Faults, type PlainFault, plainFaults, prepareFaults } from './faults.ts'
import { LocalnetNode } from './node.ts'
import type { ReadId } from './reads.ts'
import { type ReleaseName, usualRelease } from './releases.ts'
import type { SeenRequest } from './request-log.ts'
import { microsOf } from './world/contract.ts'
import { LedgerWorld } from './world/ledger-world.ts'
import { usualTraits } from './world/node-view.ts'
import { honestView, type View, type WorldView } from './world/view.ts'
import { World } from './world/world.ts'

export interface LocalnetOptions {
  readonly superValidators: number
  /**
   * The port of the first node; the other nodes use the next ports. With 0, the default, each node
   * uses a free port.
   */
  readonly port?: number
  /** `usual` is `usualControlPort`, or the next free one. 0, the default, is any free one. */
  readonly controlPort?: number | 'usual' | undefined
  readonly allowedHosts?: readonly string[]
  /**
   * The seed of all made-up content; 1 by default. Equal seeds make equal content, except for its
   * times.
   */
  readonly seed?: number
  readonly acronym?: string
  /**
   * The releases of the scans, in the order of the super validators. If there are fewer releases
   * than super validators, the list begins again.
   */
  readonly releases?: readonly ReleaseName[]
  /**
   * The version of the package `splice-amulet-name-service` that the `AmuletRules` of a made-up world
   * name. A ledger has rules of its own.
   */
  readonly amuletNameService?: string | undefined
}

export interface LocalnetDeps {
  readonly clock?: Clock
  /**
   * The ledger from which the nodes read. It must have a contract `AnsRules`, the rules for names.
   * By default, the nodes read a made-up world.
   */
  readonly ledger?: EmbeddedLedger | undefined
  /**
   * Resolves when the ledger's automation has nothing left to do at the present time of the clock.
   */
  readonly runUntilIdle?: (() => Promise<void>) | undefined
}

export type LocalnetSuperValidator = Pick<ShownSuperValidator, 'name' | 'url' | 'party'>

/**
 * Scan nodes on loopback that answer Splice's Scan API and can be faulty. If no super validator is
 * called `name`, `setFault` rejects with a `RangeError`, and the other methods throw a `RangeError`.
 */
export interface Localnet
  extends AsyncDisposable,
    Pick<Controlled, 'show' | 'setRelease' | 'advance' | 'healAll'> {
  /** Undefined if the nodes read from a ledger. */
  readonly world: World | undefined
  readonly truth: View
  readonly control: string
  readonly superValidators: readonly LocalnetSuperValidator[]
  readonly faults: readonly PlainFault[]
  setFault(name: string, fault: Faults | undefined): Promise<void>
  /** Calls `run` with the name of each super validator whose faults end. */
  onHealed(run: (name: string) => void): void
  /** Calls `run` whenever `healAll` has ended all faults. */
  onAllHealed(run: () => void): void
  /**
   * Returns the number of requests for ledger content, without probes such as `/version`. With
   * `read`, only requests for that read count, even if it is a probe.
   */
  asks(name: string, read?: ReadId): number
  requests(name: string): readonly SeenRequest[]
  /** Resolves when the headers of the next request have arrived. */
  nextRequest(name: string, read?: ReadId): Promise<SeenRequest>
}

export interface WorldLocalnet extends Localnet {
  readonly world: World
  readonly truth: WorldView
}

/**
 * Starts the scan nodes and the control server. If a port is taken, or the ledger has no `AnsRules`
 * (the rules for names), the function closes what it has opened, and rejects.
 */
export function startLocalnet(
  options: LocalnetOptions,
  deps?: LocalnetDeps & { readonly ledger?: undefined },
): Promise<WorldLocalnet>
export function startLocalnet(options: LocalnetOptions, deps: LocalnetDeps): Promise<Localnet>
export async function startLocalnet(options: LocalnetOptions, deps: LocalnetDeps = {}): Promise<Localnet> {
  const { superValidators: count, port = 0, controlPort = 0, seed = 1, acronym = 'cns' } = options
  const { releases = [], amuletNameService } = options
  if (!Number.isInteger(count) || count < 1) throw new RangeError(`a localnet of ${count} super validators`)
  const { clock = systemClock, ledger, runUntilIdle = async () => {} } = deps
  await using opened = new AsyncDisposableStack()

  const nodes = Array.from({ length: count }, () => opened.use(new LocalnetNode()))
  const urls: string[] = []
  for (const [index, node] of nodes.entries()) urls.push(await node.open(port === 0 ? 0 : port + index))
  const named = urls.map((url, index) => ({ name: `sv-${index + 1}`, url }))
  const worldOptions = { seed, acronym, superValidators: named, amuletNameService }
  const known =
    ledger === undefined
      ? new World(worldOptions, { clock })
      : await LedgerWorld.on(worldOptions, { ledger, clock })

  for (const [index, member] of known.members.entries()) {
    nodes[index]?.enter({ index, member, network: known, clock })
    // The first four nodes got their release at different times, so that they differ in which updates
    // they ingested with that release.
    const since = known.startedAt - (index % 4) * 15_000_000
    nodes[index]?.run(releases[index % releases.length] ?? usualRelease, since)
  }
  const get = (name: string): LocalnetNode =>
    nodes[known.members.findIndex((member) => member.name === name)] ?? throwUnknown(name)

  const superValidators = known.members.map(({ name, url, party }) => ({ name, url, party }))
  const faultControls = faultControlsOf(superValidators, get)
  const show = (): readonly ShownSuperValidator[] =>
    superValidators.map((shown) => ({
      ...shown,
      fault: shownFault(get(shown.name)),
      release: get(shown.name).release,
      asks: get(shown.name).log.ledgerRequestCount,
    }))
  const advance =
    clock instanceof AdvancingClock
      ? async (ms: number) => {
          clock.advance(ms)
          await runUntilIdle()
        }
      : undefined
  const setRelease = (name: string, release: ReleaseName) => get(name).run(release, microsOf(clock.wall()))
  const controlled = { ...faultControls, show, setRelease, now: () => clock.wall(), advance }
  const control = opened.use(await openControl(controlled, controlPort, options.allowedHosts)).url

  const open = opened.move()
  return {
    ...controlled,
    world: known instanceof World ? known : undefined,
    truth: honestView(known, usualTraits),
    control,
    superValidators,
    faults: plainFaults(),
    asks: (name, read) => (read === undefined ? get(name).log.ledgerRequestCount : get(name).log.count(read)),
    requests: (name) => get(name).log.recent(),
    nextRequest: (name, read) => get(name).log.next(read),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

function faultControlsOf(
  superValidators: readonly LocalnetSuperValidator[],
  get: (name: string) => LocalnetNode,
): Pick<Localnet, 'setFault' | 'healAll' | 'onHealed' | 'onAllHealed'> {
  const healed: ((name: string) => void)[] = []
  const allHealed: (() => void)[] = []
  const setFault = async (name: string, fault: unknown) => {
    await get(name).setFaults(fault === undefined ? [] : prepareFaults(fault))
    if (fault === undefined) for (const run of healed) run(name)
  }
  return {
    setFault,
    async healAll() {
      await Promise.all(superValidators.map(({ name }) => setFault(name, undefined)))
      for (const run of allHealed) run()
    },
    onHealed: (run) => healed.push(run),
    onAllHealed: (run) => allHealed.push(run),
  }
}

function shownFault({ faults }: LocalnetNode): unknown {
  const [first = null, ...others] = faults.map(({ fault }) => fault)
  return others.length === 0 ? first : [first, ...others]
}

function throwUnknown(name: string): never {
  throw new RangeError(`the localnet has no super validator called ${name}`)
}
