import type { Child } from './child.ts'
import { anyOf } from './cores.ts'
import { keepNothing, lookupPath, ownShare, startDaemonChild } from './daemon.ts'
import { distancesMs, fromAway } from './distances.ts'
import { Caller, getRequest } from './load.ts'
import { Nodes, namesOf } from './localnet.ts'
import type { Bench } from './row.ts'

/** The number of equal votes that an answer needs: `f+1` of thirteen super validators. */
export const threshold = 5
/** The number of lookups before the measured ones. From these lookups, the daemon learns how far away the nodes are. */
export const toLearn = 400
export const lookupsInFlight = 6

export function lookupsOf({ rounds }: Bench): number {
  return rounds * 25
}

/** A localnet whose super validators are far apart. The daemons that ask them cache nothing. */
export class FarNetwork implements AsyncDisposable {
  readonly localnet: Nodes
  readonly names: readonly string[]
  readonly #bench: Bench
  readonly #distances: readonly number[]
  readonly #opened: AsyncDisposableStack

  private constructor(
    bench: Bench,
    distances: readonly number[],
    made: { localnet: Nodes; names: readonly string[]; opened: AsyncDisposableStack },
  ) {
    this.#bench = bench
    this.#distances = distances
    this.#opened = made.opened
    this.localnet = made.localnet
    this.names = made.names
  }

  /**
   * Starts a localnet with these distances.
   * @param distances the distance of each super validator, in milliseconds.
   */
  static async start(bench: Bench, distances: readonly number[] = distancesMs): Promise<FarNetwork> {
    await using opened = new AsyncDisposableStack()
    const localnet = opened.use(await Nodes.start(distances.length, anyOf(bench.cores)))
    const names = await namesOf(localnet)
    await localnet.setFaults((node) => fromAway(distances[node] as number))
    return new FarNetwork(bench, distances, { localnet, names, opened: opened.move() })
  }

  /** Makes the nearest nodes silent: they accept requests but never answer. */
  async silenceNearest(count: number): Promise<void> {
    const limit = [...this.#distances].sort((a, b) => a - b)[count - 1] as number
    await this.localnet.setFaults((node) =>
      (this.#distances[node] as number) <= limit ? { kind: 'hang' } : undefined,
    )
  }

  async startDaemon({ asksPerSecond }: { asksPerSecond?: number } = {}): Promise<Child> {
    const options = { cores: anyOf(this.#bench.cores), ...(asksPerSecond !== undefined && { asksPerSecond }) }
    return this.#opened.use(await startDaemonChild(this.#bench, this.localnet.urls, keepNothing, options))
  }

  /**
   * Starts a daemon, and returns a function that looks names up through it. That function rejects if a lookup does not
   * return the entry.
   */
  async startLookUps(): Promise<LookUp> {
    return lookUpThrough(await this.startDaemon(), this.names)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#opened.disposeAsync()
  }
}

/** Makes this many lookups, six at a time. Resolves with how long each took, in milliseconds. */
export type LookUp = (lookups: number) => Promise<readonly number[]>

async function lookUpThrough(daemon: Child, names: readonly string[]): Promise<LookUp> {
  const callers = await Caller.connectMany(await daemon.call('url'), lookupsInFlight)
  const next = ownShare(
    names.map((name) => getRequest(lookupPath(name))),
    lookupsInFlight,
  )
  return async (lookups) => {
    const times: number[] = []
    let begun = 0
    await Promise.all(
      callers.map(async (caller, index) => {
        for (let count = 0; begun < lookups; count++) {
          begun++
          const started = performance.now()
          const { status, body } = await caller.ask(next(index, count))
          if (status !== 200) throw new Error(`${status}: ${body}`)
          times.push(performance.now() - started)
        }
      }),
    )
    return times
  }
}
