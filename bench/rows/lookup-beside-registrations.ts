import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { seededRandom } from '../../src/lib/random.ts'
import { Child } from '../child.ts'
import { allowThreads, goFirst } from '../cores.ts'
import { keepLong, lookupPath } from '../daemon.ts'
import { scratchFile } from '../ledger-data.ts'
import { askAtRandom, Caller, getRequest } from '../load.ts'
import type { Bench, Outcome } from '../row.ts'
import { alternate, median, quantile, warmUp } from '../statistics.ts'

const registrationsAtOnce = 64
/**
 * The number of customers who are prepared for each second of a round. It is more than can be registered in a second.
 */
const customersPerSecond = 1_500
/**
 * Milliseconds from the start of the registrations to the start of a measurement. In this time the first registrations
 * complete.
 */
const rampMs = 100
/**
 * The maximum number of rounds. There are fewer than in other rows, because preparing the customers takes longer than
 * the measurement.
 */
const mostRounds = 20
const meanGapMs = 2
/** The number of lookups that can wait for their answers at the same time. */
const connections = 64
const seed = 3

interface Turn {
  readonly latencies: readonly number[]
  readonly perSecond: number
  /** The CPU time of the thread that serves requests, as a share of one core. */
  readonly serving: number
}

/**
 * Compares the median latency of cached lookups by name in two states of one daemon: while registrations run at full
 * rate, and while the ledger is idle. Rounds alternate between the two states.
 *
 * Lookups start at random moments. The gaps between them have an exponential distribution, and are two milliseconds on
 * average. A lookup does not wait for earlier answers.
 *
 * The daemon runs as with `npm start`: a localnet with its ledger in a file. Another process registers names over HTTP
 * as users do, 64 at a time. Each user requests a name and agrees to pay. The daemon's automation collects the
 * payments. There are always payments to collect, so it registers names as fast as it can.
 *
 * The thread that serves requests has the measured core. The daemon's other threads run where the operating system puts
 * them, because their purpose is to use other cores. The processes that look up and register names share the other
 * core. The process that looks up names has priority there if possible, because in reality it would be another machine.
 */
export async function lookupBesideRegistrations({ cores, ...bench }: Bench): Promise<Outcome> {
  const file = scratchFile('beside-registrations.db')
  const settings = {
    network: 'localnet',
    http: { port: 0 },
    operations: { port: 0 },
    logLevel: 'silent',
    ledger: { driver: 'embedded', file },
    cache: { times: { lookupAnsEntryByName: keepLong } },
  }
  await using daemon = await Child.start('registering-daemon', cores?.measured, settings)
  if (cores !== undefined)
    for (const name of ['ledger', 'node-V8Worker']) allowThreads(daemon.pid, name, Object.values(cores))
  const url = await daemon.call<string>('url')
  const place = { url, settings, atOnce: registrationsAtOnce }
  await using registrants = await Child.start('registrants', cores?.rest, place)
  using _ = goFirst()
  const request = getRequest(lookupPath('dso.cns'))
  const random = seededRandom(seed)

  const asking = async (ms: number): Promise<Turn> => {
    const callers = await Caller.connectMany(url, connections)
    const [namesBefore, usBefore] = await Promise.all([
      daemon.call<number>('entered'),
      daemon.call<number>('servingUs'),
    ])
    const began = performance.now()
    const latencies = await askAtRandom(callers, request, { ms, meanGapMs, random })
    const seconds = (performance.now() - began) / 1_000
    const perSecond = ((await daemon.call<number>('entered')) - namesBefore) / seconds
    const serving = ((await daemon.call<number>('servingUs')) - usBefore) / seconds / 1e6
    for (const caller of callers) caller[Symbol.dispose]()
    return { latencies, perSecond, serving }
  }
  const idle = async (ms: number): Promise<Turn> => {
    await sleep(rampMs)
    return asking(ms)
  }
  const busy = async (ms: number): Promise<Turn> => {
    await registrants.call('prepare', Math.ceil((customersPerSecond * (ms + rampMs)) / 1_000))
    await daemon.call('settle')
    await registrants.call('begin')
    await sleep(rampMs)
    const turn = await asking(ms)
    await registrants.call('stop')
    await daemon.call('settle')
    return turn
  }
  await warmUp(bench.warmUpMs, idle, busy)
  const rounds = await alternate(
    Math.min(bench.rounds, mostRounds),
    () => busy(bench.roundMs),
    () => idle(bench.roundMs),
  )
  await daemon[Symbol.asyncDispose]()
  for (const suffix of ['', '-wal']) rmSync(file + suffix, { force: true })

  const busyLatencies = rounds.flatMap(({ a }) => a.latencies)
  const idleLatencies = rounds.flatMap(({ b }) => b.latencies)
  return {
    kind: 'measured',
    figure: median(busyLatencies) / median(idleLatencies),
    detail: {
      busyUs: median(busyLatencies),
      idleUs: median(idleLatencies),
      busyP90Us: quantile(busyLatencies, 0.9),
      idleP90Us: quantile(idleLatencies, 0.9),
      busyP99Us: quantile(busyLatencies, 0.99),
      idleP99Us: quantile(idleLatencies, 0.99),
      lookups: busyLatencies.length,
      registrationsPerSecond: median(rounds.map(({ a }) => a.perSecond)),
      serving: median(rounds.map(({ a }) => a.serving)),
      idleServing: median(rounds.map(({ b }) => b.serving)),
    },
  }
}
