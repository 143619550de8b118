import { Child } from '../child.ts'
import type { FanOuts } from '../children/asker.ts'
import { keepNothing, startDaemonChild } from '../daemon.ts'
import { Caller, drive, getRequest, postRequest } from '../load.ts'
import { Nodes } from '../localnet.ts'
import type { Bench, Outcome } from '../row.ts'
import { alternate, median, warmUp } from '../statistics.ts'

const nodes = 13
const threshold = 5
/**
 * The number of reads in progress at a time. Simultaneous reads of one question would share a load, so there is only
 * one.
 */
const inFlight = 1

type Json = Record<string, unknown>

/** Compares the CPU time of an uncached read of a 1 MB page of updates with that of only fetching the same bytes. */
export function pageAgainstFetching(bench: Bench): Promise<Outcome> {
  const question = JSON.stringify({ page_size: 1000 })
  return readAgainstFetching(bench, {
    read: 'getUpdateHistoryV2',
    sample: { method: 'POST', path: '/api/scan/v2/updates', body: question },
    request: postRequest('/api/scan/v2/updates', question),
    bytes: 1_000_000,
    list: 'transactions',
    id: (update) => update,
    idName: 'update_id',
  })
}

/**
 * Compares the CPU time of an uncached read of the DSO's whole state (300 KB) with that of only fetching the same
 * bytes.
 */
export function dsoAgainstFetching(bench: Bench): Promise<Outcome> {
  return readAgainstFetching(bench, {
    read: 'getDsoInfo',
    sample: { method: 'GET', path: '/api/scan/v0/dso' },
    request: getRequest('/api/scan/v0/dso'),
    bytes: 300_000,
    list: 'sv_node_states',
    id: (state) => state['contract'] as Json,
    idName: 'contract_id',
  })
}

interface Large {
  readonly read: string
  /** A request to a scan of the localnet. Its answer is made larger, and then served to the daemon. */
  readonly sample: { readonly method: string; readonly path: string; readonly body?: string }
  readonly request: Buffer
  readonly bytes: number
  /** The member whose elements are repeated to make the answer large. */
  readonly list: string
  /** Returns the object that has the element's id as its member `idName`: the element itself, or an object in it. */
  readonly id: (element: Json) => Json
  readonly idName: string
}

/**
 * Compares the CPU time of an uncached read of a large answer with the CPU time of only fetching the same bytes from as
 * many nodes.
 */
async function readAgainstFetching(bench: Bench, large: Large): Promise<Outcome> {
  const bodies = await largeAnswers(bench, large)
  const headers = { 'content-type': 'application/json' }
  await using stack = new AsyncDisposableStack()
  const start = (script: string, core: number | undefined, argument: object) =>
    Child.start(script, core, argument).then((child) => stack.use(child))
  const servers = await start('bare-server', bench.cores?.rest, { headers, bodies })
  const origins = await servers.call<readonly string[]>('urls')
  const daemon = stack.use(
    await startDaemonChild(bench, origins, keepNothing, { read: large.read, discover: false }),
  )
  const bare = await start('asker', bench.cores?.measured, { origins, connections: inFlight })
  const callers = await Caller.connectMany(await daemon.call('url'), inFlight)

  const reads = async (ms: number) => {
    const [cpu, asks] = [await daemon.cpuUs(), await servers.call<number>('requests')]
    const { requests } = await drive(callers, ms, () => large.request, 200)
    return {
      cpuUs: ((await daemon.cpuUs()) - cpu) / requests,
      asks: ((await servers.call<number>('requests')) - asks) / requests,
    }
  }
  const fetches = async (ms: number) => {
    const cpu = await bare.cpuUs()
    const run: FanOuts = { by: 'bare', ms, inFlight, asks: threshold, paths: [large.sample.path] }
    const done = await bare.call<number>('run', run)
    return { cpuUsPerAsk: ((await bare.cpuUs()) - cpu) / done / threshold }
  }
  await warmUp(bench.warmUpMs, reads, fetches)
  const rounds = await alternate(
    bench.rounds,
    () => reads(bench.roundMs),
    () => fetches(bench.roundMs),
  )
  return {
    kind: 'measured',
    figure: median(rounds.map(({ a, b }) => a.cpuUs / (a.asks * b.cpuUsPerAsk))),
    detail: {
      bytes: Buffer.byteLength(bodies[0] ?? ''),
      readCpuUs: median(rounds.map(({ a }) => a.cpuUs)),
      fetchingCpuUs: median(rounds.map(({ a, b }) => a.asks * b.cpuUsPerAsk)),
      asksPerRead: median(rounds.map(({ a }) => a.asks)),
    },
  }
}

/** Returns the answer of each scan, made larger: the elements of the list are repeated with new ids. */
async function largeAnswers(
  bench: Bench,
  { sample, bytes, list, id, idName }: Large,
): Promise<readonly string[]> {
  await using localnet = await Nodes.start(nodes, bench.cores?.rest)
  const { method, path, body } = sample
  const headers = { 'content-type': 'application/json' }
  const answers = await Promise.all(
    localnet.urls.map(async (url) => {
      const response = await fetch(`${url}${path}`, { method, headers, body: body ?? null })
      return (await response.json()) as Json
    }),
  )
  const [answer = {}] = answers
  const elements = answer[list] as readonly Json[]
  const rest = JSON.stringify(answer).length - JSON.stringify(elements).length
  const count = Math.ceil((elements.length * (bytes - rest)) / JSON.stringify(elements).length)
  // The copies of an element follow each other, so that the updates stay in order.
  const more = Array.from({ length: count }, (_, index) => {
    const element = structuredClone(elements[Math.floor((index * elements.length) / count)] as Json)
    const named = id(element)
    named[idName] = `${named[idName]}`.replace(/.{8}$/, index.toString(16).padStart(8, '0'))
    return element
  })
  return answers.map((one) => JSON.stringify({ ...one, [list]: more }))
}
