import { Pool } from 'undici'
import { systemClock } from '../../src/base/lib/clock.ts'
import { type Random, seededRandom } from '../../src/base/lib/random.ts'
import { Budget } from '../../src/core/scan/in-flight-budget.ts'
import { RequestGroup, type ScanNode } from '../../src/core/scan/node.ts'
import { createUndiciScanNode } from '../../src/core/scan/node.undici.ts'
import { askBare } from '../bare-ask.ts'
import { serveParent } from '../child.ts'

export interface FanOuts {
  /**
   * The code that sends the requests. `bare`: undici's `Pool.dispatch` alone. `scan node`: the daemon's client of a
   * scan.
   */
  readonly by: 'bare' | 'scan node'
  readonly ms: number
  /** The number of fan-outs that run at the same time. */
  readonly inFlight: number
  /** The number of nodes that each fan-out asks. */
  readonly asks: number
  readonly paths: readonly string[]
}

/**
 * Lookups with undici's `Pool.dispatch` alone. Each lookup asks `asks` nodes, and is over when `enough` of them have
 * answered.
 */
export interface Races {
  readonly lookups: number
  readonly inFlight: number
  /** The number of nodes that each lookup asks. They are drawn at random. */
  readonly asks: number
  readonly enough: number
  readonly paths: readonly string[]
}

const seed = 7

type AskOne = (node: number, path: string) => Promise<unknown>

let nodes = 0
let askOne: Record<FanOuts['by'], AskOne>

serveParent({
  start({ origins, connections }: { origins: readonly string[]; connections: number }) {
    nodes = origins.length
    const pools = origins.map((origin) => new Pool(origin, { connections }))
    const scanNodes = origins.map((origin) => scanNode(origin, connections))
    const { signal } = new AbortController()
    askOne = {
      bare: (node, path) => askBare(pools[node] as Pool, path),
      'scan node': (node, path) => askScanNode(scanNodes[node] as ScanNode, path, signal),
    }
  },
  /**
   * Runs fan-outs for `ms` milliseconds. Each fan-out asks `asks` nodes at once and waits for all answers. The next one
   * starts with the next node. Returns how many fan-outs there were.
   */
  async run({ by, ms, inFlight, asks, paths }: FanOuts) {
    const ends = performance.now() + ms
    let done = 0
    const worker = async () => {
      while (performance.now() < ends) {
        const path = paths[done % paths.length] as string
        const first = done++
        await Promise.all(Array.from({ length: asks }, (_, ask) => askOne[by]((first + ask) % nodes, path)))
      }
    }
    await Promise.all(Array.from({ length: inFlight }, worker))
    return done
  },
  /**
   * Runs the lookups. At the end it waits for all answers, including those that came too late for their lookup. Returns
   * the milliseconds that each lookup took.
   */
  async race({ lookups, inFlight, asks, enough, paths }: Races) {
    const random = seededRandom(seed)
    const times: number[] = []
    const stragglers: Promise<unknown>[] = []
    let begun = 0
    const worker = async () => {
      while (begun < lookups) {
        const path = paths[begun++ % paths.length] as string
        const started = performance.now()
        const asked = someOf(nodes, asks, random).map((node) => askOne.bare(node, path))
        await first(asked, enough)
        times.push(performance.now() - started)
        stragglers.push(...asked)
      }
    }
    await Promise.all(Array.from({ length: inFlight }, worker))
    await Promise.all(stragglers)
    return times
  },
})

function someOf(count: number, wanted: number, random: Random): readonly number[] {
  const all = Array.from({ length: count }, (_, node) => ({ node, key: random() }))
  return all
    .sort((a, b) => a.key - b.key)
    .slice(0, wanted)
    .map(({ node }) => node)
}

/** Resolves when `enough` of the promises have resolved. Rejects as soon as one of them rejects. */
function first(promises: readonly Promise<unknown>[], enough: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let left = enough
  const arrive = () => {
    if (--left === 0) resolve()
  }
  for (const each of promises) each.then(arrive, reject)
  return promise
}

function scanNode(url: string, slots: number): ScanNode {
  const budget = new Budget({ slots, bytes: 64 * 1_048_576 })
  return createUndiciScanNode({ url, budget, allowHttp: true, allowPrivate: true }, { clock: systemClock })
}

async function askScanNode(node: ScanNode, path: string, signal: AbortSignal): Promise<void> {
  const answer = await node.ask(
    { method: 'GET', path, maxBytes: 65_536, timeoutMs: 5000 },
    new RequestGroup(signal, systemClock),
  )
  if (answer.kind === 'fault') throw new Error(answer.detail)
  answer.release()
}
