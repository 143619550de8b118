import { Pool } from 'undici'
import { askBare } from '../bare-ask.ts'
import { Child } from '../child.ts'
import type { FanOuts } from '../children/asker.ts'
import { keepNothing, lookupPath, ownShare, scanPath, startDaemonChild } from '../daemon.ts'
import { Caller, drive, getRequest } from '../load.ts'
import { Nodes, namesOf } from '../localnet.ts'
import type { Bench, Outcome } from '../row.ts'
import { alternate, median, warmUp } from '../statistics.ts'

const nodes = 13
const threshold = 5
const lookupsInFlight = 16

/** Compares the CPU time of an uncached lookup with the CPU time of as many requests by `Pool.dispatch` alone. */
export async function cpuAgainstBareFanOut(bench: Bench): Promise<Outcome> {
  await using stack = new AsyncDisposableStack()
  const localnet = stack.use(await Nodes.start(nodes, bench.cores?.rest))
  const names = await namesOf(localnet)
  const daemon = stack.use(await startDaemonChild(bench, localnet.urls, keepNothing))
  const callers = await Caller.connectMany(await daemon.call('url'), lookupsInFlight)
  const requests = names.map((name) => getRequest(lookupPath(name)))
  const bare = stack.use(
    await Child.start('asker', bench.cores?.measured, {
      origins: localnet.urls,
      connections: lookupsInFlight,
    }),
  )
  const paths = names.map(scanPath)

  const lookups = async (ms: number) => {
    const [cpu, asks] = [await daemon.cpuUs(), await localnet.asks()]
    const { requests: done, seconds } = await drive(callers, ms, ownShare(requests, lookupsInFlight), 200)
    return {
      cpuUs: ((await daemon.cpuUs()) - cpu) / done,
      asks: ((await localnet.asks()) - asks) / done,
      perSecond: done / seconds,
    }
  }
  const fanOuts = async (ms: number) => {
    const cpu = await bare.cpuUs()
    const run: FanOuts = { by: 'bare', ms, inFlight: lookupsInFlight, asks: threshold, paths }
    const done = await bare.call<number>('run', run)
    return { cpuUsPerAsk: ((await bare.cpuUs()) - cpu) / done / threshold }
  }
  await warmUp(bench.warmUpMs, lookups, fanOuts)
  const rounds = await alternate(
    bench.rounds,
    () => lookups(bench.roundMs),
    () => fanOuts(bench.roundMs),
  )
  return {
    kind: 'measured',
    figure: median(rounds.map(({ a, b }) => a.cpuUs / (a.asks * b.cpuUsPerAsk))),
    detail: {
      daemonCpuUs: median(rounds.map(({ a }) => a.cpuUs)),
      bareCpuUs: median(rounds.map(({ a, b }) => a.asks * b.cpuUsPerAsk)),
      asksPerLookup: median(rounds.map(({ a }) => a.asks)),
      lookupsPerSecond: median(rounds.map(({ a }) => a.perSecond)),
    },
  }
}

const delayMs = 20

/**
 * Compares two median latencies: of an uncached lookup, and of a fan-out without the daemon, to as many scans as must
 * agree. A fan-out ends with its last answer.
 */
export async function latencyAgainstThreshold(bench: Bench): Promise<Outcome> {
  await using stack = new AsyncDisposableStack()
  const localnet = stack.use(await Nodes.start(nodes, bench.cores?.rest))
  const names = await namesOf(localnet)
  const daemon = stack.use(await startDaemonChild(bench, localnet.urls, keepNothing))
  const [caller] = await Caller.connectMany(await daemon.call('url'), 1)
  const pools = localnet.urls.map((url) => new Pool(url))
  stack.defer(async () => void (await Promise.all(pools.map((pool) => pool.close()))))
  await localnet.setFaults(() => ({ kind: 'delay', ms: delayMs }))

  let count = 0
  const nameOf = () => names[count++ % names.length] as string
  const lookup = async () => {
    const response = await caller?.ask(getRequest(lookupPath(nameOf())))
    if (response?.status !== 200) throw new Error(`${response?.status}: ${response?.body}`)
  }
  const asks = async () => {
    const path = scanPath(nameOf())
    const asked = Array.from({ length: threshold }, (_, ask) => pools[(count + ask) % nodes] as Pool)
    await Promise.all(asked.map((pool) => askBare(pool, path)))
  }
  await warmUp(
    bench.warmUpMs,
    (ms) => latencies(ms, lookup),
    (ms) => latencies(ms, asks),
  )
  const rounds = await alternate(
    bench.rounds,
    () => latencies(bench.roundMs, lookup),
    () => latencies(bench.roundMs, asks),
  )
  const lookupMs = median(rounds.flatMap(({ a }) => a))
  const asksMs = median(rounds.flatMap(({ b }) => b))
  return { kind: 'measured', figure: lookupMs / asksMs, detail: { lookupMs, asksMs } }
}

/** Calls `run` again and again for `ms` milliseconds. Returns how long each call took, in milliseconds. */
async function latencies(ms: number, run: () => Promise<void>): Promise<readonly number[]> {
  const ends = performance.now() + ms
  const taken: number[] = []
  while (performance.now() < ends) {
    const started = performance.now()
    await run()
    taken.push(performance.now() - started)
  }
  return taken
}
