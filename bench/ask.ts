import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Pool } from 'undici'
import { systemClock } from '../src/lib/clock.ts'
import { Budget } from '../src/scan/budget.ts'
import type { ScanNode, ScanRequest } from '../src/scan/node.ts'
import { createUndiciScanNode } from '../src/scan/node.undici.ts'

const nodes = 9
const lookupsInFlight = 16
const lookupsPerRound = 1500
const rounds = 9

const request: ScanRequest = {
  method: 'GET',
  path: '/api/scan/v0/ans-entries/by-name/alice.unverified.cns',
  maxBytes: 65_536,
  timeoutMs: 5000,
}

/** CPU of this process for one ask, microseconds, and the ratio of the two: medians over rounds that alternate. */
export interface AskCost {
  readonly bareUs: number
  readonly scanNodeUs: number
  readonly ratio: number
}

/**
 * What a scan node adds to the cheapest way of asking: nine nodes for 400 bytes each, sixteen lookups in flight,
 * against undici's `Pool.dispatch` with a handler that collects buffers. The upstream is a process of its own.
 */
export async function measureAsk(): Promise<AskCost> {
  const upstream = fork(import.meta.filename, ['upstream'])
  const [port] = await once(upstream, 'message')
  const origin = `http://127.0.0.1:${port}`
  const pools = Array.from({ length: nodes }, () => new Pool(origin, { connections: lookupsInFlight }))
  const scanNodes = Array.from({ length: nodes }, () => scanNode(origin))
  const bare = () => lookupBare(pools)
  const full = () => lookup(scanNodes)
  await cpuPerAsk(bare)
  await cpuPerAsk(full)
  const costs: AskCost[] = []
  for (let round = 0; round < rounds; round++) {
    const first = await cpuPerAsk(round % 2 === 0 ? bare : full)
    const second = await cpuPerAsk(round % 2 === 0 ? full : bare)
    const [bareUs, scanNodeUs] = round % 2 === 0 ? [first, second] : [second, first]
    costs.push({ bareUs, scanNodeUs, ratio: scanNodeUs / bareUs })
  }
  await Promise.all([
    ...pools.map((pool) => pool.close()),
    ...scanNodes.map((node) => node[Symbol.asyncDispose]()),
  ])
  upstream.kill()
  return {
    bareUs: median(costs.map(({ bareUs }) => bareUs)),
    scanNodeUs: median(costs.map(({ scanNodeUs }) => scanNodeUs)),
    ratio: median(costs.map(({ ratio }) => ratio)),
  }
}

function scanNode(url: string): ScanNode {
  const budget = new Budget({ slots: lookupsInFlight, bytes: 64 * 1_048_576 })
  return createUndiciScanNode({ url, budget, allowHttp: true, allowPrivate: true }, { clock: systemClock })
}

async function lookup(scanNodes: readonly ScanNode[]): Promise<void> {
  const { signal } = new AbortController()
  for (const answer of await Promise.all(scanNodes.map((node) => node.ask(request, signal)))) {
    if (answer.kind === 'fault') throw new Error(answer.detail)
    answer.release()
  }
}

async function lookupBare(pools: readonly Pool[]): Promise<void> {
  await Promise.all(pools.map(askBare))
}

const headers = ['accept', 'application/json', 'user-agent', 'bare', 'accept-encoding', 'identity']

function askBare(pool: Pool): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    pool.dispatch(
      { method: 'GET', path: request.path, headers },
      {
        onRequestStart() {},
        onResponseStart() {},
        onResponseData: (_controller, chunk) => chunks.push(chunk),
        onResponseEnd: () => resolve(Buffer.concat(chunks)),
        onResponseError: (_controller, error) => reject(error),
      },
    )
  })
}

async function cpuPerAsk(run: () => Promise<void>): Promise<number> {
  let left = lookupsPerRound
  const worker = async () => {
    while (left-- > 0) await run()
  }
  const before = process.cpuUsage()
  await Promise.all(Array.from({ length: lookupsInFlight }, worker))
  const { user, system } = process.cpuUsage(before)
  return (user + system) / lookupsPerRound / nodes
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

function serveUpstream(): void {
  const body = Buffer.from(
    JSON.stringify({ entry: { name: 'alice.unverified.cns', padding: 'x'.repeat(350) } }),
  )
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
    response.end(body)
  })
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
  process.on('disconnect', () => process.exit())
}

if (process.argv[2] === 'upstream') {
  serveUpstream()
} else if (import.meta.main) {
  const cost = await measureAsk()
  if (process.argv.includes('--json')) console.log(JSON.stringify(cost))
  else
    console.log(
      `one ask: bare Pool.dispatch ${cost.bareUs.toFixed(1)} us, scan node ${cost.scanNodeUs.toFixed(1)} us, ` +
        `ratio ${cost.ratio.toFixed(2)} (at most 1.3)`,
    )
}
