import { Child } from '../child.ts'
import type { Answer } from '../children/bare-server.ts'
import { keepLong, lookupPath, startDaemonChild } from '../daemon.ts'
import { Caller, drive, getRequest } from '../load.ts'
import { Nodes, namesOf } from '../localnet.ts'
import { hasNginx, startNginx } from '../nginx.ts'
import type { Bench, Measured, Outcome } from '../row.ts'
import { alternate, median, warmUp } from '../statistics.ts'

const connections = 64
const nodes = 13

/** A server to compare. */
interface Contender {
  /** The first part of the names of its figures in the detail. */
  readonly name: string
  readonly url: string
  readonly cpuUs: () => Promise<number> | number
  readonly request: Buffer
}

/** The cost of one answer, the rate of answers, and the load on the process that sends the requests, in one round. */
interface Turn {
  readonly cpuUs: number
  readonly perSecond: number
  readonly loadCpu: number
}

/** Compares a cached lookup with an answer of a bare `node:http` server. Both write the same bytes and headers. */
export async function hitAgainstBareNode(bench: Bench): Promise<Outcome> {
  await using stack = new AsyncDisposableStack()
  const { daemon, bare } = await startBoth(bench, stack)
  return await compare(bench, daemon, bare)
}

/** Compares a cached lookup with an answer that nginx gives from its `proxy_cache`. Both have the same body. */
export async function hitAgainstNginx(bench: Bench): Promise<Outcome> {
  if (!hasNginx()) return { kind: 'skipped', why: 'nginx is not installed (Debian: apt-get install nginx)' }
  await using stack = new AsyncDisposableStack()
  const { daemon, bare } = await startBoth(bench, stack)
  const { request } = bare
  const nginx = stack.use(await startNginx(bare.url, bench.cores?.measured))
  using caller = await Caller.connect(nginx.url)
  await caller.ask(request)
  const asked = await bare.requests()
  const { url, cpuUs } = nginx
  const outcome = await compare(bench, daemon, { name: 'nginx', url, cpuUs, request })
  if ((await bare.requests()) > asked) throw new Error('nginx did not answer from its cache')
  return outcome
}

async function startBoth(bench: Bench, stack: AsyncDisposableStack) {
  const localnet = stack.use(await Nodes.start(nodes, bench.cores?.rest))
  const [name = ''] = await namesOf(localnet)
  const child = stack.use(await startDaemonChild(bench, localnet.urls, keepLong))
  const request = getRequest(lookupPath(name))
  const daemon = await contenderOf('daemon', child, request)
  const bareChild = stack.use(await startBare(bench, await hitOf(daemon.url, request)))
  const requests = () => bareChild.call<number>('requests')
  return { daemon, bare: { ...(await contenderOf('bareNode', bareChild, request)), requests } }
}

/** Starts a `node:http` server that gives this answer to every request. */
export function startBare(bench: Bench, answer: Answer): Promise<Child> {
  return Child.start('bare-server', bench.cores?.measured, answer)
}

export async function contenderOf(name: string, child: Child, request: Buffer): Promise<Contender> {
  return { name, url: await child.call<string>('url'), cpuUs: () => child.cpuUs(), request }
}

/**
 * Returns an answer that the daemon gave from its cache: the body, and the headers without those that `node:http` adds
 * by itself.
 */
export async function hitOf(url: string, request: Buffer): Promise<Answer> {
  using caller = await Caller.connect(url)
  await caller.ask(request)
  const { head, body } = await caller.ask(request)
  const headers = Object.fromEntries(head.split('\r\n').slice(1).map(field))
  if (!headers['cache-status']?.includes('hit')) throw new Error(`not a hit: ${head}`)
  for (const name of ['Date', 'Connection', 'Keep-Alive']) delete headers[name]
  return { headers, bodies: [body.toString()] }
}

function field(line: string): [string, string] {
  const colon = line.indexOf(':')
  return [line.slice(0, colon), line.slice(colon + 2)]
}

/**
 * Compares the CPU time that two servers need for one answer. The figure is the CPU time of the second server, divided
 * by that of the first.
 */
export async function compare(bench: Bench, first: Contender, second: Contender): Promise<Measured> {
  const ofFirst = await turns(first)
  const ofSecond = await turns(second)
  await warmUp(bench.warmUpMs, ofFirst, ofSecond)
  const rounds = await alternate(
    bench.rounds,
    () => ofFirst(bench.roundMs),
    () => ofSecond(bench.roundMs),
  )
  return {
    kind: 'measured',
    figure: median(rounds.map(({ a, b }) => b.cpuUs / a.cpuUs)),
    detail: {
      [`${first.name}CpuUs`]: median(rounds.map(({ a }) => a.cpuUs)),
      [`${second.name}CpuUs`]: median(rounds.map(({ b }) => b.cpuUs)),
      requestsRatio: median(rounds.map(({ a, b }) => a.perSecond / b.perSecond)),
      [`${first.name}PerSecond`]: median(rounds.map(({ a }) => a.perSecond)),
      [`${second.name}PerSecond`]: median(rounds.map(({ b }) => b.perSecond)),
      loadCpu: median(rounds.map(({ b }) => b.loadCpu)),
    },
  }
}

async function turns({ url, cpuUs, request }: Contender): Promise<(ms: number) => Promise<Turn>> {
  const callers = await Caller.connectMany(url, connections)
  return async (ms) => {
    const before = await cpuUs()
    const { requests, seconds, loadCpu } = await drive(callers, ms, () => request, 200)
    return { cpuUs: ((await cpuUs()) - before) / requests, perSecond: requests / seconds, loadCpu }
  }
}
