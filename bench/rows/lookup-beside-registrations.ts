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
 * Milliseconds from the beginning of registrations to the beginning of a measurement. By then the first
 * registrations are complete.
 */
const rampMs = 100
/** The maximum number of rounds. A round spends more time on preparing customers than on measuring. */
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
 * Compares the median latency of a cached lookup by name while registrations run at full rate with that while
 * the ledger is idle. The same daemon is measured, in rounds that alternate between the two, and the median
 * is that of all lookups of all rounds.
 *
 * Lookups are requested at random moments, with exponential gaps of two milliseconds on average. They do not
 * wait for the answers to earlier ones.
 *
 * The daemon is that of a localnet as `npm start` runs it, with its ledger in a file. Another process
 * registers names over HTTP as users do, 64 at a time: each user requests a name, accepts to pay, and then
 * the next user begins. The daemon's automation collects the payments. There are always that many in
 * progress, so the daemon registers as fast as it can.
 *
 * The thread that serves requests has the measured core. The daemon's other threads, those of the ledger and
 * of V8, run where the operating system puts them, because their purpose is to use other cores. The processes
 * that look up and register are on the other core. The one that looks up has priority there, if the operating
 * system permits it, because in reality it would be another machine.
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
