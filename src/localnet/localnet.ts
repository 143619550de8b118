import { AdvancingClock } from '../lib/advancing-clock.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import { Control, type ShownSuperValidator } from './control.ts'
import { type FaultKind, type Faults, plainFaults, prepareFaults } from './faults.ts'
import { LocalnetNode } from './node.ts'
import type { ReadId } from './reads.ts'
import type { SeenRequest } from './request-log.ts'
import { LedgerWorld, type ReadLedger } from './world/ledger-world.ts'
import { clearSight } from './world/registry.ts'
import { honestView, type View, type WorldView, worldView } from './world/view.ts'
import { World } from './world/world.ts'

export interface LocalnetOptions {
  /** The number of super validators. They are named `sv-1`, `sv-2`, ... */
  readonly superValidators: number
  /**
   * The port of the first node; the following nodes use the next ports. With 0, the default, each node uses a
   * free port.
   */
  readonly port?: number
  /** The port of the control address. With 0, the default, it is a free port. */
  readonly controlPort?: number
  /**
   * The values of the header `host` that the control address accepts, in addition to IP addresses and
   * `localhost`.
   */
  readonly allowedHosts?: readonly string[]
  /**
   * The seed of all made-up content, which is everything that the nodes do not read from a ledger; 1 by
   * default. Equal seeds make equal content, except for its times.
   */
  readonly seed?: number
  /** The last part of every name, as in `alice.unverified.<acronym>`; `cns` by default. */
  readonly acronym?: string
}

export interface LocalnetDeps {
  /** The clock of the nodes. If it is an `AdvancingClock`, the control address can move it forward. */
  readonly clock?: Clock
  /**
   * The ledger from which the nodes read names, rules, open rounds, updates and snapshots. It must have rules
   * for names. By default, the nodes use a made-up world.
   */
  readonly ledger?: ReadLedger | undefined
  /**
   * Resolves when the ledger's automation has nothing left to do at the present time of the clock. `advance`
   * waits for it. By default there is no automation to wait for.
   */
  readonly runUntilIdle?: (() => Promise<void>) | undefined
}

export interface LocalnetSuperValidator {
  readonly name: string
  /** The base URL of the super validator's scan, without a trailing slash. */
  readonly url: string
  readonly party: string
}

/**
 * Scan nodes on loopback that answer Splice's Scan API. All of them read one ledger, or all read one made-up
 * world. Each node can have faults of its own. A method fails with a `RangeError` if `name` is not the name
 * of a super validator.
 */
interface Nodes extends AsyncDisposable {
  /** The base URL of the control address. */
  readonly control: string
  readonly superValidators: readonly LocalnetSuperValidator[]
  /**
   * The faults that need no option. Each `sentence` is the end of a sentence that begins with "a super
   * validator whose scan".
   */
  readonly faults: readonly { readonly kind: FaultKind; readonly sentence: string }[]
  /**
   * Returns every node with its present faults and the number of requests for ledger content that it has
   * received.
   */
  show(): readonly ShownSuperValidator[]
  /**
   * Sets the faults of a node; undefined removes all faults. Resolves when the change is in force. Rejects
   * with a `NoFaultError` if a fault is not valid.
   */
  setFault(name: string, fault: Faults | undefined): Promise<void>
  /**
   * Moves time forward by `ms` milliseconds. Resolves when all automatic work that this causes is done.
   * Undefined if the localnet's clock cannot be moved.
   */
  readonly advance: ((ms: number) => Promise<void>) | undefined
  /**
   * Returns how many requests for ledger content a node has received. Probes such as `/version` are not
   * counted. With `read`, counts only the requests for that read, even if that read is a probe.
   */
  asks(name: string, read?: ReadId): number
  /** Returns the last 256 requests to a node, for all reads, oldest first. */
  requests(name: string): readonly SeenRequest[]
  /**
   * Resolves with the next request to a node as soon as its headers have arrived. With `read`, waits for the
   * next request for that read. Rejects when the localnet closes.
   */
  nextRequest(name: string, read?: ReadId): Promise<SeenRequest>
  /**
   * Resolves with the next request whose caller disconnects before it has the whole reply. A GET that no
   * fault delays or changes never counts, because the node does not watch the connection of such a GET.
   * Rejects when the localnet closes.
   */
  nextHangUp(name: string, read?: ReadId): Promise<SeenRequest>
}

/** A localnet whose nodes read a made-up world. */
export interface WorldLocalnet extends Nodes {
  /** The world that the nodes read. `put`, `renew` and `remove` change it while the nodes run. */
  readonly world: World
  /** The content that an honest node serves. */
  readonly truth: WorldView
}

/** A localnet whose nodes read a ledger. */
export interface LedgerLocalnet extends Nodes {
  readonly world: undefined
  readonly truth: View
}

export type Localnet = WorldLocalnet | LedgerLocalnet

/**
 * Starts the nodes and the control address. If a port is taken, or the ledger has no rules for names, closes
 * everything that was opened and rejects.
 */
export function startLocalnet(
  options: LocalnetOptions,
  deps?: LocalnetDeps & { readonly ledger?: undefined },
): Promise<WorldLocalnet>
export function startLocalnet(options: LocalnetOptions, deps: LocalnetDeps): Promise<Localnet>
export async function startLocalnet(options: LocalnetOptions, deps: LocalnetDeps = {}): Promise<Localnet> {
  const { superValidators: count, port = 0, controlPort = 0, seed = 1, acronym = 'cns' } = options
  if (!Number.isInteger(count) || count < 1) throw new RangeError(`a localnet of ${count} super validators`)
  const { clock = systemClock, ledger, runUntilIdle = async () => {} } = deps
  await using opened = new AsyncDisposableStack()

  const nodes = Array.from({ length: count }, () => opened.use(new LocalnetNode()))
  const urls: string[] = []
  for (const [index, node] of nodes.entries()) urls.push(await node.open(port === 0 ? 0 : port + index))
  const named = urls.map((url, index) => ({ name: `sv-${index + 1}`, url }))
  const worldOptions = { seed, acronym, superValidators: named }
  const known =
    ledger === undefined
      ? new World(worldOptions, { clock })
      : await LedgerWorld.on(worldOptions, { ledger, clock })

  for (const [index, member] of known.members.entries())
    nodes[index]?.enter({ index, member, network: known, registry: known, clock })
  const get = (name: string): LocalnetNode => {
    const node = nodes[known.members.findIndex((member) => member.name === name)]
    if (node === undefined) throw new RangeError(`the localnet has no super validator called ${name}`)
    return node
  }

  const superValidators = known.members.map(({ name, url, party }) => ({ name, url, party }))
  const setFault = async (name: string, fault: unknown) =>
    get(name).setFaults(fault === undefined ? [] : prepareFaults(fault))
  const show = (): readonly ShownSuperValidator[] =>
    superValidators.map((shown) => ({
      ...shown,
      fault: shownFault(get(shown.name)),
      asks: get(shown.name).log.asks,
    }))
  const moving = async (clock: AdvancingClock, ms: number) => {
    clock.advance(ms)
    await runUntilIdle()
  }
  const advance = clock instanceof AdvancingClock ? (ms: number) => moving(clock, ms) : undefined
  const controlled = { show, setFault, now: () => clock.wall(), advance }
  const control = await opened.use(new Control(controlled, options.allowedHosts)).open(controlPort)

  const open = opened.move()
  const running: Nodes = {
    control,
    superValidators,
    faults: plainFaults(),
    show,
    setFault,
    advance,
    asks: (name, read) => (read === undefined ? get(name).log.asks : get(name).log.count(read)),
    requests: (name) => get(name).log.recent(),
    nextRequest: (name, read) => get(name).log.next(read),
    nextHangUp: (name, read) => get(name).log.nextHangUp(read),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
  return known instanceof World
    ? { ...running, world: known, truth: worldView(known) }
    : { ...running, world: undefined, truth: honestView(known, known, clearSight) }
}

/** Returns the faults of a node as the user set them: null, one fault, or a list of faults. */
function shownFault({ faults }: LocalnetNode): unknown {
  const [first = null, ...others] = faults.map(({ fault }) => fault)
  return others.length === 0 ? first : [first, ...others]
}
