import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Child } from '../child.ts'
import type { Registered } from '../children/registering-daemon.ts'
import { moveThreads } from '../cores.ts'
import { keepLong, lookupPath } from '../daemon.ts'
import { scratchFile } from '../ledger-data.ts'
import { askInTurn, Caller, getRequest } from '../load.ts'
import type { Bench, Outcome } from '../row.ts'
import { alternate, median, quantileOverTime, warmUp } from '../statistics.ts'

/** More than can be registered while a turn lasts. */
const customersPerSecond = 3_000
/** From the beginning of registrations to the beginning of a turn: the first of them are collected by then. */
const rampMs = 100
/** A round makes customers for longer than it measures. */
const mostRounds = 20
/** Of the rate without lookups: below this, lookups were not served beside registrations at full rate. */
const leastRate = 0.5

interface Turn {
  readonly latencies: readonly number[]
  readonly perSecond: number
  /** Registrations, without lookups beside them. */
  readonly alonePerSecond: number
}

/**
 * The median latency of a cached lookup by name while registrations run at full rate, against that of the same daemon
 * while its ledger is idle.
 *
 * The daemon is one of a localnet as `npm start` runs it, with its ledger in a file. 64 registrations are under way at a
 * time: each asks and pays at the ledger's port inside the daemon's process, so that the requests that are measured are
 * the only ones; the daemon's automation collects, and a registration is over when its name is entered. Each round also
 * registers without lookups: where lookups keep registrations from half of that rate nothing is measured.
 *
 * The ledger's thread and V8's helpers have one core, the thread that serves and the caller share the other. On two cores
 * the figure depends on that: with V8's helpers on the serving thread's core, or threads wherever the system puts them,
 * what is waited for is a core.
 *
 * One caller asks one question after the other, so it asks less often while answers are slow. The median is therefore
 * that of moments, not of answers (`ofAnswers`); who asks at random moments, and rarely, also finds colder caches.
 */
export async function lookupBesideRegistrations({ cores, ...bench }: Bench): Promise<Outcome> {
  const file = scratchFile('beside-registrations.db')
  await using child = await Child.start('registering-daemon', cores?.rest, {
    network: 'localnet',
    http: { port: 0 },
    operations: { port: 0 },
    logLevel: 'silent',
    ledger: { driver: 'embedded', file },
    cache: { times: { lookupAnsEntryByName: keepLong } },
  })
  if (cores !== undefined)
    for (const name of ['ledger', 'node-V8Worker']) moveThreads(child.pid, name, cores.measured)
  using caller = await Caller.connect(await child.call('url'))
  const request = getRequest(lookupPath('dso.cns'))

  const idle = async (ms: number): Promise<Turn> => {
    await askInTurn(caller, request, rampMs)
    return { latencies: await askInTurn(caller, request, ms), perSecond: 0, alonePerSecond: 0 }
  }
  const registering = async <T>(ms: number, act: () => Promise<T>) => {
    await child.call('prepare', Math.ceil((customersPerSecond * (ms + rampMs)) / 1_000))
    await child.call('begin')
    const result = await act()
    const { registrations, seconds, left } = await child.call<Registered>('stop')
    if (left === 0) throw new Error('there were too few customers to keep the ledger busy')
    return { result, perSecond: registrations / seconds }
  }
  const busy = async (ms: number): Promise<Turn> => {
    const alone = await registering(ms, () => sleep(rampMs + ms))
    const { result: latencies, perSecond } = await registering(ms, async () => {
      await askInTurn(caller, request, rampMs)
      return askInTurn(caller, request, ms)
    })
    return { latencies, perSecond, alonePerSecond: alone.perSecond }
  }
  await warmUp(bench.warmUpMs, idle, busy)
  const rounds = await alternate(
    Math.min(bench.rounds, mostRounds),
    () => busy(bench.roundMs),
    () => idle(bench.roundMs),
  )
  await child[Symbol.asyncDispose]()
  for (const suffix of ['', '-wal']) rmSync(file + suffix, { force: true })
  const rate = median(rounds.map(({ a }) => a.perSecond / a.alonePerSecond))
  if (rate < leastRate)
    throw new Error(
      `registrations ran at ${rate} of their full rate beside lookups: that says nothing of lookups`,
    )
  const busyUs = (share: number) => median(rounds.map(({ a }) => quantileOverTime(a.latencies, share)))
  const idleUs = (share: number) => median(rounds.map(({ b }) => quantileOverTime(b.latencies, share)))
  return {
    kind: 'measured',
    figure: median(
      rounds.map(({ a, b }) => quantileOverTime(a.latencies, 0.5) / quantileOverTime(b.latencies, 0.5)),
    ),
    detail: {
      busyUs: busyUs(0.5),
      idleUs: idleUs(0.5),
      busyP90Us: busyUs(0.9),
      idleP90Us: idleUs(0.9),
      ofAnswers: median(rounds.map(({ a, b }) => median(a.latencies) / median(b.latencies))),
      rate,
      registrationsPerSecond: median(rounds.map(({ a }) => a.perSecond)),
    },
  }
}
