import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { type ReadId, reads } from '../../src/reads/table.ts'
import { written } from '../config/config.ts'
import { nothingKept } from '../daemon/questions.ts'
import { ask, type Heard } from '../localnet/ask.ts'
import { samples } from '../reads/samples.ts'
import { DaemonProcess } from '../support/process.ts'
import type { CostlyOrder } from './costly-scans-worker.ts'
import { catalogue, type Found } from './costs.ts'
import { untruth } from './oracle.ts'
import { treeOf } from './tree.ts'

const lookups = Number(process.env['ADVERSARY_LOOKUPS'] ?? 1_000)
const atOnce = 8
const deadlineMs = 15_000
const voters = 13
const liars = 4
/**
 * The largest share of the reads of each kind, from 0 to 1, that may fail. The bodies of liars may cost so much that no
 * quorum is heard in time.
 */
const mostFailed = 0.1

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
  const found = [...catalogue(8_192, attacked)]
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

const smallHeap = (() => {
  const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  const flags = (scripts.start as string).match(/--[\w-]+(=\w+)?/g) ?? []
  return ['sh', '-c', `node=$1; shift; exec "$node" --max-old-space-size=256 ${flags.join(' ')} "$@"`, 'sh']
})()

const pathOf = {
  getDsoInfo: ['GET', '/api/scan/v0/dso'],
  listAnsEntries: ['GET', '/api/scan/v0/ans-entries?page_size=2'],
  getUpdateHistoryV2: ['POST', '/api/scan/v2/updates'],
  listVoteRequestResults: ['POST', '/api/scan/v0/admin/sv/voteresults'],
  getEventHistory: ['POST', '/api/scan/v0/events'],
} as const satisfies Record<(typeof beside)[number], readonly [string, string]>

test.for(['economical', 'all'])(
  'a daemon with a heap of 256 MiB that asks by the way %s answers lookups right and in time while four of thirteen super validators send the costliest bodies',
  { timeout: 1_800_000 },
  async (fanout, { annotate }) => {
    // Honest and lying scans have one thread each, so that making costly bodies delays no honest scan.
    const honest = new Worker(new URL('./costly-scans-worker.ts', import.meta.url))
    const lying = new Worker(new URL('./costly-scans-worker.ts', import.meta.url))
    const ports = [
      ...((await told(honest, { do: 'listen', scans: voters - liars })) as readonly number[]),
      ...((await told(lying, { do: 'listen', scans: liars })) as readonly number[]),
    ]
    await told(honest, { do: 'answer', ports, bodies: {} })
    await told(lying, { do: 'answer', ports, bodies: costliest() })
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
      'http.missesPerSecond': 'none',
      ...nothingKept,
    })
    await using daemon = await DaemonProcess.startUnder(smallHeap, { NODE_CONFIG: JSON.stringify(config) })
    const { http, operations } = await daemon.listening()
    await readyIn(operations, 60_000)

    const took: number[] = []
    let isOver = false
    const others = Promise.all(beside.map((id) => readAgainAndAgain(http, id, () => isOver)))
    const names = Array.from({ length: lookups }, (_, nth) => `name-${nth}.unverified.cns`).values()
    const caller = async () => {
      for (const name of names) {
        const started = performance.now()
        const { status, text } = await ask(http, `/api/scan/v0/ans-entries/by-name/${name}`)
        took.push(performance.now() - started)
        expect([status, JSON.parse(text)]).toEqual([
          200,
          { entry: { ...samples.lookupAnsEntryByName.reply.entry, name } },
        ])
      }
    }
    const callers = Promise.all(Array.from({ length: atOnce }, caller)).finally(() => {
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
    const memory = await residentMiB(operations)

    const costly = await told(lying, { do: 'count' })
    await Promise.all([honest.terminate(), lying.terminate()])
    await annotate(
      `${took.length} lookups, median ${Math.round(sorted[took.length >> 1] ?? 0)} ms, slowest ${Math.round(sorted.at(-1) ?? 0)} ms; ${besides.length} other reads, slowest ${Math.round(slowest)} ms, failed: ${failures}; ${costly} costly bodies; ${memory} MiB resident`,
    )
    expect(sorted.at(-1)).toBeLessThan(deadlineMs)
    for (const [id, all] of Map.groupBy(besides, ({ id }) => id))
      expect((failed.get(id)?.length ?? 0) / all.length, `failed of ${id}`).toBeLessThanOrEqual(mostFailed)
  },
)

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
  while ((await ask(operations, '/readyz')).status !== 200)
    if (performance.now() > until) throw new Error('the daemon was not ready in time')
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

async function residentMiB(operations: string): Promise<number> {
  const { text } = await ask(operations, '/metrics')
  return Math.round(Number(/^process_resident_memory_bytes (\S+)/m.exec(text)?.[1]) / 1_048_576)
}
