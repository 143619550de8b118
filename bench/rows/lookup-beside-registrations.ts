import { rmSync } from 'node:fs'
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

interface Turn {
  readonly latencies: readonly number[]
  readonly perSecond: number
}

/**
 * The median latency of a cached lookup by name while registrations run at full rate, against that of the same daemon
 * while its ledger is idle.
 *
 * The daemon is one of a localnet as `npm start` runs it, with its ledger in a file. 64 registrations are under way at a
 * time: each asks and pays at the ledger's port inside the daemon's process, so that the requests that are measured are the
 * only ones; the daemon's automation collects, and a registration is over when its name is entered. The thread that is
 * the ledger's has a core to itself, and all else of the daemon shares the other one with the caller, so that nobody waits for
 * a core to wake up. One caller asks one question after the other. It asks less often while answers are slow: the median
 * is that of moments, not of answers.
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
  if (cores !== undefined) moveThreads(child.pid, 'ledger', cores.measured)
  using caller = await Caller.connect(await child.call('url'))
  const request = getRequest(lookupPath('dso.cns'))

  const idle = async (ms: number): Promise<Turn> => {
    await askInTurn(caller, request, rampMs)
    return { latencies: await askInTurn(caller, request, ms), perSecond: 0 }
  }
  const busy = async (ms: number): Promise<Turn> => {
    await child.call('prepare', Math.ceil((customersPerSecond * (ms + rampMs)) / 1_000))
    await child.call('begin')
    await askInTurn(caller, request, rampMs)
    const latencies = await askInTurn(caller, request, ms)
    const { registrations, seconds, left } = await child.call<Registered>('stop')
    if (left === 0) throw new Error('there were too few customers to keep the ledger busy')
    return { latencies, perSecond: registrations / seconds }
  }
  await warmUp(bench.warmUpMs, idle, busy)
  const rounds = await alternate(
    Math.min(bench.rounds, mostRounds),
    () => busy(bench.roundMs),
    () => idle(bench.roundMs),
  )
  await child[Symbol.asyncDispose]()
  for (const suffix of ['', '-wal']) rmSync(file + suffix, { force: true })
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
      registrationsPerSecond: median(rounds.map(({ a }) => a.perSecond)),
    },
  }
}
