import { setTimeout as sleep } from 'node:timers/promises'
import { lookupPath } from '../daemon.ts'
import { FarNetwork } from '../far-network.ts'
import { Caller, getRequest } from '../load.ts'
import { type Bench, measuredOnce, type Outcome } from '../row.ts'
import { median, quantile } from '../statistics.ts'

const asksPerSecond = 50
/** The milliseconds from the start of one lookup to the start of the next: 100 lookups a second. */
const everyMs = 10
const toLearn = 400

/** The results of lookups under rate limits. `times` has the milliseconds of each lookup that was answered. */
interface Loaded {
  readonly times: readonly number[]
  readonly failed: number
  readonly asksPerLookup: number
}

export async function p99UnderRateLimits(bench: Bench): Promise<Outcome> {
  const { times, failed, asksPerLookup } = await underRateLimits(bench)
  return {
    kind: 'measured',
    figure: quantile(times, 0.99),
    detail: { medianMs: median(times), slowestMs: Math.max(...times), failed, asksPerLookup },
  }
}

export async function failedUnderRateLimits(bench: Bench): Promise<Outcome> {
  const { times, failed } = await underRateLimits(bench)
  return { kind: 'measured', figure: failed, detail: { answered: times.length } }
}

/**
 * Measures lookups under rate limits. They do not wait for earlier answers, as if many independent callers sent them.
 */
const underRateLimits = measuredOnce(async (bench): Promise<Loaded> => {
  await using network = await FarNetwork.start(bench)
  const { localnet, names } = network
  const daemon = await network.startDaemon({ asksPerSecond })
  const open = openLoop(
    await daemon.call('url'),
    names.map((name) => getRequest(lookupPath(name))),
  )
  const learning = await open(toLearn)
  const lookups = bench.rounds * 50
  const asks = await localnet.asks()
  const { times, failed } = await open(lookups)
  const asksPerLookup = ((await localnet.asks()) - asks) / lookups
  return { times, failed: learning.failed + failed, asksPerLookup }
})

/**
 * Returns a function that starts a lookup every ten milliseconds. No two lookups use one connection at the same time.
 */
function openLoop(url: string, requests: readonly Buffer[]) {
  const idle: Caller[] = []
  const take = () => {
    for (let caller = idle.pop(); caller !== undefined; caller = idle.pop()) if (caller.isOpen) return caller
    return Caller.connect(url)
  }
  let asked = 0
  const lookUp = async (times: number[]) => {
    const request = requests[asked++ % requests.length] as Buffer
    const started = performance.now()
    const caller = await take()
    const { status } = await caller.ask(request)
    if (status === 200) times.push(performance.now() - started)
    idle.push(caller)
  }
  return async (lookups: number) => {
    const times: number[] = []
    const begun: Promise<void>[] = []
    const started = performance.now()
    while (begun.length < lookups) {
      const wait = started + begun.length * everyMs - performance.now()
      if (wait > 0) await sleep(wait)
      begun.push(lookUp(times))
    }
    await Promise.all(begun)
    return { times, failed: lookups - times.length }
  }
}
