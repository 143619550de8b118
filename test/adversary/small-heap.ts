import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { expect } from 'vitest'
import type { ReadId } from '../../src/core/reads/endpoints.ts'
import { reads } from '../../src/core/reads/table.ts'
import { configOf, remote, written } from '../config/config.ts'
import { nothingKept } from '../daemon/questions.ts'
import { ask, type Heard } from '../localnet/ask.ts'
import { samples } from '../reads/samples.ts'
import { DaemonProcess } from '../support/process.ts'
import { isLong } from '../support/seed.ts'
import type { CostlyOrder } from './costly-scans-worker.ts'
import { catalogue, type Found } from './costs.ts'
import { untruth } from './oracle.ts'
import { treeOf } from './tree.ts'

const atOnce = 8
/** The pause between two reads of a kind. Without it, a turn of the event loop would do the work of many reads. */
const besideEveryMs = 200
export const deadlineMs = 15_000
const voters = 13
const liars = 4
/**
 * The largest share of the reads of each kind, from 0 to 1, that may fail. The bodies of liars may cost so much that no
 * quorum is heard in time.
 */
export const mostFailed = 0.1

/** The reads with the longest bodies. The callers make them in addition to lookups of names. */
const beside = [
  'getDsoInfo',
  'listAnsEntries',
  'getUpdateHistoryV2',
  'listVoteRequestResults',
  'getEventHistory',
] as const
const rosterReads = ['getDsoPartyId', 'listDsoScans', 'getAmuletRules'] as const
const attacked: readonly ReadId[] = ['lookupAnsEntryByName', ...beside, ...rosterReads]

function costliest(): Record<string, readonly string[]> {
  const found = [...catalogue(isLong ? 8_192 : 2_048, attacked)]
  const first = (id: ReadId, by: (one: Found) => number) =>
    found
      .filter(({ read }) => read === id)
      .sort((a, b) => by(b) - by(a))
      .slice(0, 2)
      .map(({ label }) => label)
  return Object.fromEntries(
    attacked.map((id) => [
      id,
      [...new Set([...first(id, (one) => one.blockedMs), ...first(id, (one) => one.allocated)])],
    ]),
  )
}

function smallHeap(blocks: string): readonly string[] {
  const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  const flags = (scripts.start as string).match(/--[\w-]+(=\w+)?/g) ?? []
  const [settings = ''] = /^([A-Z_]+=\S+ )+/.exec(scripts.start as string) ?? []
  const monitor = new URL(`../support/loop-monitor.ts?file=${blocks}`, import.meta.url)
  const all = `--max-old-space-size=256 --import '${monitor}' ${flags.join(' ')}`
  return ['sh', '-c', `node=$1; shift; ${settings} exec "$node" ${all} "$@"`, 'sh']
}

const pathOf = {
  getDsoInfo: ['GET', '/api/scan/v0/dso'],
  listAnsEntries: ['GET', '/api/scan/v0/ans-entries?page_size=2'],
  getUpdateHistoryV2: ['POST', '/api/scan/v2/updates'],
  listVoteRequestResults: ['POST', '/api/scan/v0/admin/sv/voteresults'],
  getEventHistory: ['POST', '/api/scan/v0/events'],
} as const satisfies Record<(typeof beside)[number], readonly [string, string]>

export interface SmallHeapOptions {
  readonly fanout: 'economical' | 'all'
  readonly names: number
  readonly lookups: number
}

export interface SmallHeapRun {
  readonly says: string
  readonly slowestMs: number
  readonly longestBlockMs: number
  readonly setSeconds: number
  readonly peakMiB: number
  /** The sum of `docs/capacity.md#memory`, with what judging the longest body takes. */
  readonly budgetMiB: number
  readonly failed: ReadonlyMap<ReadId, number>
}

/**
 * Runs a daemon with a heap of 256 MiB and the mirror at level `stream`, of whose thirteen super validators four send
 * the costliest pages, heads, rosters and bodies. Fails if a lookup is answered wrongly, or not at all.
 */
export async function runSmallHeap({ fanout, names, lookups }: SmallHeapOptions): Promise<SmallHeapRun> {
  const folder = await mkdtemp(join(tmpdir(), 'small-heap-'))
  const blocks = join(folder, 'blocks')
  await writeFile(blocks, '')
  // Honest and lying scans have one thread each, so that making costly bodies delays no honest scan. Neither thread is
  // in the process of the daemon.
  const honest = new Worker(new URL('./costly-scans-worker.ts', import.meta.url))
  const lying = new Worker(new URL('./costly-scans-worker.ts', import.meta.url))
  try {
    const ports = [
      ...((await told(honest, { do: 'listen', scans: voters - liars })) as readonly number[]),
      ...((await told(lying, { do: 'listen', scans: liars })) as readonly number[]),
    ]
    await told(honest, { do: 'answer', ports, bodies: {}, names, lies: false })
    await told(lying, { do: 'answer', ports, bodies: costliest(), names, lies: true })
    const config = written({
      network: 'remote',
      'scanClient.seedUrls': ports.map((port) => `http://127.0.0.1:${port}`),
      'scanClient.allowHttp': true,
      'scanClient.allowPrivate': true,
      'scanClient.minimumVoters': 1,
      'scanClient.asksPerSecond': 'none',
      'scanClient.registryAsksPerMinute': 'none',
      'scanClient.refreshInterval': '5s',
      'scanClient.fanout': fanout,
      'mirror.level': 'stream',
      'http.missesPerSecond': 'none',
      ...nothingKept,
    })
    await using daemon = await DaemonProcess.startUnder(smallHeap(blocks), {
      NODE_CONFIG: JSON.stringify(config),
    })
    const { http, operations } = await daemon.listening()
    const listening = performance.now()
    // An answer shows that the daemon has freed what its start left, which blocks the event loop once.
    await ask(operations, '/livez')
    const starting = (await readFile(blocks, 'utf8')).length
    await readyIn(operations, 60_000)

    const took: number[] = []
    let isOver = false
    const others = Promise.all(beside.map((id) => readAgainAndAgain(http, id, () => isOver)))
    const set = mirrored(operations).then(() => (performance.now() - listening) / 1000)
    const rows = Array.from({ length: lookups }, (_, nth) => Math.floor((nth * names) / lookups)).values()
    const caller = async () => {
      for (const row of rows) {
        const name = `name-${row}.unverified.cns`
        // Every second lookup asks super validators, although the mirror has the name.
        const headers: Record<string, string> = row % 2 === 0 ? {} : { 'x-bft-live': '?1' }
        const started = performance.now()
        const { status, text } = await ask(http, `/api/scan/v0/ans-entries/by-name/${name}`, { headers })
        took.push(performance.now() - started)
        expect([status, JSON.parse(text).entry?.name]).toEqual([200, name])
      }
    }
    const lookedUp = Promise.all(Array.from({ length: atOnce }, caller))
    const callers = Promise.all([lookedUp, set]).finally(() => {
      isOver = true
    })
    const [, besidesEach] = await Promise.race([Promise.all([callers, others]), death(daemon)])
    const besides = besidesEach.flat()
    const sorted = took.sort((a, b) => a - b)
    const failed = Map.groupBy(
      besides.filter(({ status }) => status !== 200),
      ({ id }) => id,
    )
    const slowest = Math.max(...besides.map(({ ms }) => ms))
    const failures = [...failed].map(([id, all]) => `${all.length} of ${id}`).join(', ') || 'none'
    const peakMiB = await peakOf(daemon.pid)
    const costly = await told(lying, { do: 'count' })
    const sizes = Map.groupBy(besides, ({ id }) => id)
    const blocked = (await readFile(blocks, 'utf8'))
      .slice(starting)
      .split('\n')
      .map((line) => line.split(' ').map(Number))
    const longest = Math.max(0, ...blocked.map(([, workedMs = 0]) => workedMs))
    const longestByClock = Math.max(0, ...blocked.map(([, , clockMs = 0]) => clockMs))
    const above = blocked.filter(([, workedMs = 0]) => workedMs > 50).length
    const setSeconds = await set
    const slowestMs = sorted.at(-1) ?? 0
    return {
      says: `${took.length} lookups, median ${Math.round(sorted[took.length >> 1] ?? 0)} ms, slowest ${Math.round(slowestMs)} ms; longest block ${longest} ms (${above} above 50), by the clock ${longestByClock} ms; set of ${names} names taken after ${setSeconds.toFixed(1)} s; ${besides.length} other reads, slowest ${Math.round(slowest)} ms, failed: ${failures}; ${costly} costly bodies; ${peakMiB} MiB resident at most`,
      slowestMs,
      longestBlockMs: longest,
      setSeconds,
      peakMiB,
      budgetMiB: budgetFor(names),
      failed: new Map([...failed].map(([id, all]) => [id, all.length / (sizes.get(id)?.length ?? 1)])),
    }
  } finally {
    await Promise.all([honest.terminate(), lying.terminate()])
    await rm(folder, { recursive: true })
  }
}

/** Resolves when the mirror answers at level `stream`. */
async function mirrored(operations: string): Promise<void> {
  for (;;) {
    const { text } = await ask(operations, '/status')
    const { mirror } = JSON.parse(text)
    if (mirror.level === 'stream') return
    await setTimeout(1_000)
  }
}

async function told(worker: Worker, order: CostlyOrder): Promise<unknown> {
  worker.postMessage(order)
  const [answer] = await once(worker, 'message')
  return answer
}

async function death(daemon: DaemonProcess): Promise<never> {
  const { code, signal, errors } = await daemon.ended
  throw new Error(`the daemon ended with ${code ?? signal}: ${errors.slice(-12).join('\n')}`)
}

async function readyIn(operations: string, ms: number): Promise<void> {
  const until = performance.now() + ms
  while ((await ask(operations, '/readyz')).status !== 200) {
    if (performance.now() > until) throw new Error('the daemon was not ready in time')
    await setTimeout(50)
  }
}

interface Beside {
  readonly id: ReadId
  readonly ms: number
  readonly status: number
}

async function readAgainAndAgain(
  http: string,
  id: (typeof beside)[number],
  isOver: () => boolean,
): Promise<readonly Beside[]> {
  const took: Beside[] = []
  const { params, reply } = samples[id] as { params: Readonly<Record<string, string>>; reply: unknown }
  const truth = { read: reads[id], params, status: 200, body: treeOf(reply) }
  const [method, path] = pathOf[id]
  const options = method === 'POST' ? { method, body: params['body'] ?? '{}' } : {}
  while (!isOver()) {
    await setTimeout(besideEveryMs)
    const started = performance.now()
    const { status, text, headers }: Heard = await ask(http, path, options)
    took.push({ id, ms: performance.now() - started, status })
    // A read with long bodies may fail for want of a quorum, but no read may get a wrong answer.
    if (status === 502 && /^no(?:Consensus|tEnoughScans)$/.test(String(headers['x-bft-error']))) continue
    const wrong = untruth(truth, { status, kind: 'value', body: Buffer.from(text) })
    if (wrong !== undefined) throw new Error(`${id}: ${wrong}`)
  }
  return took
}

async function peakOf(pid: number): Promise<number> {
  const [, kiB] = /^VmHWM:\s+(\d+) kB/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? []
  return Math.round(Number(kiB) / 1_024)
}

const miB = 1_048_576
const idleMiB = 135
const judgeMiB = 160

function budgetFor(names: number): number {
  const { cache, scanClient, evidence, mirror } = configOf(remote)
  const bytes = cache.maxBytes + scanClient.maxBufferedBytes + evidence.maxBytes
  const drained = names * 2 * 2_048 + voters * 32 * mirror.maxEntries
  return idleMiB + judgeMiB + (bytes + drained) / miB
}
