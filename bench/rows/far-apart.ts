import { Child } from '../child.ts'
import type { Races } from '../children/asker.ts'
import { anyOf } from '../cores.ts'
import { scanPath } from '../daemon.ts'
import { bestPossible, distancesMs } from '../distances.ts'
import { FarNetwork, lookupsInFlight, lookupsOf, threshold, toLearn } from '../far-network.ts'
import { type Bench, measuredOnce, type Outcome } from '../row.ts'
import { median, quantile } from '../statistics.ts'

/** The number of scans that Splice's own client asks for a read: 2f+1. */
const spliceAsks = 9
/** The maximum number of connections to each node. It is so large that it is never reached. */
const connections = 256
const lookupsToWarmUp = 60

/** The results of lookups on a far network. The arrays contain the time of each lookup in milliseconds. */
interface FarApart {
  readonly daemon: readonly number[]
  readonly asksPerLookup: number
  /**
   * The times of asking as Splice's client does: each lookup asks nine of the thirteen scans, drawn at random, and ends
   * when enough of them have answered.
   */
  readonly nineAtRandom: readonly number[]
  readonly everybody: readonly number[]
  readonly best: readonly number[]
}

/**
 * Compares the median time of lookups with the best possible one. A lookup needs five of thirteen votes, so its best
 * possible time is the fifth-smallest of thirteen random delays. The detail has the times of other ways of asking, too.
 */
export async function medianFarApart(bench: Bench): Promise<Outcome> {
  return against(await farApart(bench), median)
}

export async function p99FarApart(bench: Bench): Promise<Outcome> {
  return against(await farApart(bench), (times) => quantile(times, 0.99))
}

export async function askedFarApart(bench: Bench): Promise<Outcome> {
  const { asksPerLookup } = await farApart(bench)
  const detail = { nineAtRandom: spliceAsks, everybody: distancesMs.length }
  return { kind: 'measured', figure: asksPerLookup, detail }
}

function against(
  { daemon, nineAtRandom, everybody, best }: FarApart,
  of: (times: readonly number[]) => number,
): Outcome {
  return {
    kind: 'measured',
    figure: of(daemon) / of(best),
    detail: {
      daemonMs: of(daemon),
      bestPossibleMs: of(best),
      nineAtRandomMs: of(nineAtRandom),
      everybodyMs: of(everybody),
      slowestMs: Math.max(...daemon),
      nineAtRandomSlowestMs: Math.max(...nineAtRandom),
      everybodySlowestMs: Math.max(...everybody),
    },
  }
}

const farApart = measuredOnce(async (bench): Promise<FarApart> => {
  await using network = await FarNetwork.start(bench)
  const { localnet, names } = network
  const lookups = lookupsOf(bench)
  const lookUp = await network.startLookUps()
  await lookUp(toLearn)
  const asks = await localnet.asks()
  const daemon = await lookUp(lookups)
  const asksPerLookup = ((await localnet.asks()) - asks) / lookups

  await using bare = await Child.start('asker', anyOf(bench.cores), {
    origins: localnet.urls,
    connections,
  })
  const paths = names.map(scanPath)
  const race = (asked: number, count = lookups) =>
    bare.call<readonly number[]>('race', {
      lookups: count,
      inFlight: lookupsInFlight,
      asks: asked,
      enough: threshold,
      paths,
    } satisfies Races)
  await race(distancesMs.length, lookupsToWarmUp)
  return {
    daemon,
    asksPerLookup,
    nineAtRandom: await race(spliceAsks),
    everybody: await race(distancesMs.length),
    best: bestPossible(distancesMs, threshold, lookups),
  }
})

const silentNodes = 4
const slowMs = 500

/**
 * The times of lookups in milliseconds: first while the daemon finds out which nodes are silent, and then when it
 * knows.
 */
interface Silent {
  readonly learning: readonly number[]
  readonly learnt: readonly number[]
}

/**
 * Measures two cases: the four nearest nodes are silent before the daemon starts, or become silent when the daemon has
 * learnt the distances. The figure is the slower median, divided by the best possible median.
 */
export async function medianFarApartWithSilent(bench: Bench): Promise<Outcome> {
  const { fromStart, fromHalfWay } = await farApartWithSilent(bench)
  const best = median(bestPossible(distancesMs.slice(silentNodes), threshold, lookupsOf(bench)))
  const [startMs, halfWayMs] = [median(fromStart.learnt), median(fromHalfWay.learnt)]
  return {
    kind: 'measured',
    figure: Math.max(startMs, halfWayMs) / best,
    detail: {
      fromStartMs: startMs,
      fromHalfWayMs: halfWayMs,
      bestPossibleMs: best,
      fromStartP99Ms: quantile(fromStart.learnt, 0.99),
      fromHalfWayP99Ms: quantile(fromHalfWay.learnt, 0.99),
    },
  }
}

export async function slowWhileSilentAreLearnt(bench: Bench): Promise<Outcome> {
  const { fromStart, fromHalfWay } = await farApartWithSilent(bench)
  const slow = (times: readonly number[]) => times.filter((ms) => ms > slowMs).length
  return {
    kind: 'measured',
    figure: Math.max(slow(fromStart.learning), slow(fromHalfWay.learning)),
    detail: {
      fromStart: slow(fromStart.learning),
      fromHalfWay: slow(fromHalfWay.learning),
      fromStartSlowestMs: Math.max(...fromStart.learning),
      fromHalfWaySlowestMs: Math.max(...fromHalfWay.learning),
      fromStartOnceLearnt: slow(fromStart.learnt),
      fromHalfWayOnceLearnt: slow(fromHalfWay.learnt),
    },
  }
}

const farApartWithSilent = measuredOnce(async (bench) => ({
  fromStart: await silentFrom('start', bench),
  fromHalfWay: await silentFrom('half-way', bench),
}))

async function silentFrom(since: 'start' | 'half-way', bench: Bench): Promise<Silent> {
  await using network = await FarNetwork.start(bench)
  if (since === 'start') await network.silenceNearest(silentNodes)
  const lookUp = await network.startLookUps()
  if (since === 'half-way') {
    await lookUp(toLearn)
    await network.silenceNearest(silentNodes)
  }
  const learning = await lookUp(toLearn)
  return { learning, learnt: await lookUp(lookupsOf(bench) / 2) }
}

/**
 * Measures two daemons at opposite ends of a network: the nodes near one daemon are far from the other. Each daemon has
 * a localnet of its own with the distances as seen from its end. Each should thus learn a different order of nodes.
 */
export async function medianFromTwoPlaces(bench: Bench): Promise<Outcome> {
  await using here = await FarNetwork.start(bench)
  await using there = await FarNetwork.start(bench, distancesMs.toReversed())
  const lookups = lookupsOf(bench) / 2
  const measure = async (network: FarNetwork) => {
    const lookUp = await network.startLookUps()
    await lookUp(toLearn)
    return lookUp(lookups)
  }
  const [one, other] = await Promise.all([measure(here), measure(there)])
  const best = median(bestPossible(distancesMs, threshold, lookups))
  return {
    kind: 'measured',
    figure: Math.max(median(one), median(other)) / best,
    detail: {
      oneMs: median(one),
      otherMs: median(other),
      bestPossibleMs: best,
      oneP99Ms: quantile(one, 0.99),
      otherP99Ms: quantile(other, 0.99),
    },
  }
}
