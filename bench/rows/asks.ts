import type { Child } from '../child.ts'
import { keepLong, keepNothing, lookupPath, ownShare, startDaemonChild } from '../daemon.ts'
import { Caller, drive, getRequest } from '../load.ts'
import { Nodes, namesOf } from '../localnet.ts'
import type { Bench, Outcome } from '../row.ts'

const nodes = 13
const lookupsInFlight = 16

/** Counts the requests that scans receive for one uncached lookup of a name that exists. */
export async function asksForNamesThatExist(bench: Bench): Promise<Outcome> {
  await using stack = new AsyncDisposableStack()
  const { localnet, daemon } = await start(bench, stack, keepNothing)
  const requests = (await namesOf(localnet)).map((name) => getRequest(lookupPath(name)))
  return await asksPerLookup(bench, { localnet, daemon }, ownShare(requests, lookupsInFlight), 200)
}

/** Counts the requests that scans receive for one uncached lookup of a name that does not exist. */
export async function asksForNamesThatDoNot(bench: Bench): Promise<Outcome> {
  await using stack = new AsyncDisposableStack()
  const { localnet, daemon } = await start(bench, stack, keepNothing)
  const request = (caller: number, count: number) =>
    getRequest(lookupPath(`nobody-${caller}-${count}.unverified.cns`))
  return await asksPerLookup(bench, { localnet, daemon }, request, 404)
}

async function asksPerLookup(
  bench: Bench,
  { localnet, daemon }: { readonly localnet: Nodes; readonly daemon: Child },
  next: (caller: number, count: number) => Buffer,
  status: number,
): Promise<Outcome> {
  const callers = await Caller.connectMany(await daemon.call('url'), lookupsInFlight)
  await drive(callers, bench.warmUpMs, next, status)
  const before = await localnet.asks()
  const { requests } = await drive(callers, bench.roundMs * bench.rounds, next, status)
  return {
    kind: 'measured',
    figure: ((await localnet.asks()) - before) / requests,
    detail: { lookups: requests },
  }
}

const crowd = 10_000
/**
 * The milliseconds that each scan takes to answer. Within this time all callers can send their requests, before the
 * first scan answers.
 */
const delayMs = 1000

/**
 * Compares two numbers of requests that scans receive: for one lookup, and for many simultaneous lookups of one name.
 * All scans are asked, because whether one more is asked in place of a late one is a matter of chance.
 */
export async function asksForACrowd(bench: Bench): Promise<Outcome> {
  await using stack = new AsyncDisposableStack()
  const { localnet, daemon } = await start(bench, stack, keepLong, 'all')
  const url = await daemon.call<string>('url')
  const [one, many] = (await namesOf(localnet)).map((name) => getRequest(lookupPath(name)))
  const [first, ...rest] = await Caller.connectMany(url, crowd)
  if (one === undefined || many === undefined || first === undefined) throw new Error('too few names')
  await localnet.setFaults(() => ({ kind: 'delay', ms: delayMs }))
  const atFirst = await localnet.asks()
  await first.ask(one)
  const afterOne = await localnet.asks()
  const responses = await Promise.all([first, ...rest].map((caller) => caller.ask(many)))
  const afterMany = await localnet.asks()
  const failed = responses.filter(({ status }) => status !== 200).length
  if (failed > 0) throw new Error(`${failed} of ${crowd} lookups failed`)
  const asksOfOne = afterOne - atFirst
  const asksOfMany = afterMany - afterOne
  const joined = responses.filter(({ head }) => !head.includes('bft-scan-proxy; hit')).length
  return {
    kind: 'measured',
    figure: asksOfMany / asksOfOne,
    detail: { lookups: crowd, waitedForTheSameAsks: joined, asksOfOne, asksOfMany },
  }
}

async function start(
  bench: Bench,
  stack: AsyncDisposableStack,
  times: object,
  fanout: 'economical' | 'all' = 'economical',
) {
  const localnet = stack.use(await Nodes.start(nodes, bench.cores?.rest))
  const daemon = stack.use(await startDaemonChild(bench, localnet.urls, times, { fanout }))
  return { localnet, daemon }
}
