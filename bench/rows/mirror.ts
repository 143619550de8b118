import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Child } from '../child.ts'
import type { ManyNames } from '../children/many-names.ts'
import { keepLong, keepNothing, lookupPath, ownShare } from '../daemon.ts'
import { Caller, drive, getRequest } from '../load.ts'
import { type Bench, measuredOnce, type Outcome } from '../row.ts'
import { Programs, StartedDaemon } from '../started-daemon.ts'
import { alternate, median } from '../statistics.ts'
import { compare } from './hit.ts'

const nodes = 13
const callers = 64
const mirrored = { level: 'bindings', spotCheckInterval: '24h' }

/** Starts super validators whose scans have the names and updates that `has` describes. */
async function scansWith(
  { cores }: Bench,
  stack: AsyncDisposableStack,
  has: Omit<ManyNames, 'superValidators'>,
) {
  const scans = stack.use(await Child.start('many-names', cores?.rest, { superValidators: nodes, ...has }))
  return { scans, urls: await scans.call<readonly string[]>('urls') }
}

interface Wanted {
  readonly mirror: object
  readonly times?: object
  /**
   * The DSO's party id. If it is given, discovery is off: the daemon takes the scans at the seed URLs for its roster.
   */
  readonly dsoPartyId?: string
}

function settingsOf(seedUrls: readonly string[], { mirror, times = keepLong, dsoPartyId }: Wanted) {
  const roster = dsoPartyId === undefined ? {} : { discover: false, dsoPartyId }
  return {
    network: 'remote',
    http: { port: 0, missesPerSecond: 'none' },
    operations: { port: 0 },
    scanClient: { seedUrls, ...roster, allowHttp: true, allowPrivate: true, asksPerSecond: 1_000_000 },
    cache: { times: { lookupAnsEntryByName: times } },
    mirror,
  }
}

async function daemonOf(bench: Bench, urls: readonly string[], wanted: Wanted) {
  const child = await Child.start('daemon', bench.cores?.measured, settingsOf(urls, wanted))
  return { child, url: await child.call<string>('url'), cpuUs: () => child.cpuUs() }
}

/** Repeats a lookup until the mirror answers it. */
async function untilMirrored(url: string, path: string): Promise<void> {
  using caller = await Caller.connect(url)
  while (!(await caller.ask(getRequest(path))).head.includes('detail=mirror')) await sleep(20)
}

/** Compares the CPU time of a lookup that the mirror answers with that of a lookup that the cache answers. */
export async function mirroredAgainstCached(bench: Bench): Promise<Outcome> {
  await using stack = new AsyncDisposableStack()
  const { scans, urls } = await scansWith(bench, stack, { names: 5_000 })
  const [name = ''] = await scans.call<readonly string[]>('names', 1)
  const cached = await daemonOf(bench, urls, { mirror: { level: 'off' } })
  stack.use(cached.child)
  const other = await daemonOf(bench, urls, { mirror: mirrored })
  stack.use(other.child)
  await untilMirrored(other.url, lookupPath(name))
  const request = getRequest(lookupPath(name))
  return await compare(bench, { name: 'cached', ...cached, request }, { name: 'mirrored', ...other, request })
}

const askedOfAll = measuredOnce(async (bench: Bench) => {
  await using stack = new AsyncDisposableStack()
  const { scans, urls } = await scansWith(bench, stack, { names: 5_000 })
  const names = await scans.call<readonly string[]>('names', 5_000)
  const { child, url } = await daemonOf(bench, urls, { mirror: mirrored })
  stack.use(child)
  await untilMirrored(url, lookupPath(names[0] ?? ''))
  const pages = await scans.call<number>('snapshotPages')
  const before = await scans.call<number>('lookups')
  const requests = names.map((name) => getRequest(lookupPath(name)))
  const all = await Caller.connectMany(url, callers)
  const wanted = 25_000 * bench.rounds
  let lookups = 0
  while (lookups < wanted) lookups += (await drive(all, 1_000, ownShare(requests, callers), 200)).requests
  return { lookups, asks: (await scans.call<number>('lookups')) - before, pages }
})

/**
 * Counts the lookups that reach the scans while callers look up mirrored names: a million times, or fewer with
 * `--short`.
 */
export async function asksOfMirrored(bench: Bench): Promise<Outcome> {
  const { lookups, asks } = await askedOfAll(bench)
  return { kind: 'measured', figure: asks, detail: { lookups } }
}

/** Counts the requests for pages of a snapshot that scans receive until the mirror has its first snapshot. */
export async function asksOfSnapshot(bench: Bench): Promise<Outcome> {
  const { pages } = await askedOfAll(bench)
  return { kind: 'measured', figure: pages, detail: {} }
}

const manyNames = 100_000
const starts = 5

const startedWithMany = measuredOnce(async (bench: Bench) => {
  await using stack = new AsyncDisposableStack()
  using programs = new Programs()
  const folder = mkdtempSync(join(tmpdir(), 'bft-scan-proxy-bench-'))
  stack.defer(() => rmSync(folder, { recursive: true }))
  const { scans, urls } = await scansWith(bench, stack, { names: manyNames })
  const [name = ''] = await scans.call<readonly string[]>('names', 1)
  const mirror = { ...mirrored, file: join(folder, 'mirror.db') }
  const packed = programs.pack()
  const start = async (used: object) => {
    const began = performance.now()
    await using daemon = await StartedDaemon.start(packed, bench.cores, settingsOf(urls, { mirror: used }))
    if ('file' in used) await untilMirrored(daemon.url, lookupPath(name))
    const ms = performance.now() - began
    await sleep(1_000)
    return { ms, rssMiB: daemon.rssMiB ?? Number.NaN }
  }
  const startBare = async () => {
    await using bare = await StartedDaemon.start(programs.bare, bench.cores)
    return bare.startMs
  }
  await start(mirror)
  await startBare()
  const rounds = await alternate(
    starts,
    async () => ({ bareMs: await startBare(), ...(await start(mirror)) }),
    () => start({ level: 'off' }),
  )
  return {
    ratio: median(rounds.map(({ a }) => a.ms / a.bareMs)),
    startMs: median(rounds.map(({ a }) => a.ms)),
    bareMs: median(rounds.map(({ a }) => a.bareMs)),
    growthMiB: median(rounds.map(({ a, b }) => a.rssMiB - b.rssMiB)),
  }
})

/**
 * Measures how long a daemon takes from its start to its first mirrored answer, if the file of its mirror has many
 * names, compared with the start of a bare Node process that loads the same packages.
 */
export async function startWithManyNames(bench: Bench): Promise<Outcome> {
  const { ratio, startMs, bareMs } = await startedWithMany(bench)
  return { kind: 'measured', figure: ratio, detail: { startMs, bareMs } }
}

/** Measures how much resident memory each mirrored name takes. */
export async function memoryOfManyNames(bench: Bench): Promise<Outcome> {
  const { growthMiB } = await startedWithMany(bench)
  return { kind: 'measured', figure: (growthMiB * 1_024) / manyNames, detail: { growthMiB } }
}

const delayMs = 20

/**
 * Compares the median times of live lookups right after the start of two daemons. One of them drains a snapshot
 * meanwhile, and the other has no mirror.
 */
export async function lookupsBesideDrain(bench: Bench): Promise<Outcome> {
  await using stack = new AsyncDisposableStack()
  const { scans, urls } = await scansWith(bench, stack, { names: 5_000 })
  const names = await scans.call<readonly string[]>('names', 1_000)
  await scans.call('delay', delayMs)
  const medianMs = async (mirror: object) => {
    const { child, url } = await daemonOf(bench, urls, { mirror, times: keepNothing })
    await using _ = child
    using caller = await Caller.connect(url)
    const ends = performance.now() + 4 * bench.roundMs
    const taken: number[] = []
    for (let at = 0; performance.now() < ends; at++) {
      const asked = performance.now()
      await caller.ask(liveRequest(lookupPath(names[at % names.length] as string)))
      taken.push(performance.now() - asked)
    }
    return median(taken)
  }
  const rounds = await alternate(
    Math.min(11, bench.rounds),
    () => medianMs(mirrored),
    () => medianMs({ level: 'off' }),
  )
  return {
    kind: 'measured',
    figure: median(rounds.map(({ a, b }) => a / b)),
    detail: { besideMs: median(rounds.map(({ a }) => a)), aloneMs: median(rounds.map(({ b }) => b)) },
  }
}

function liveRequest(path: string): Buffer {
  return Buffer.from(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nx-bft-live: ?1\r\n\r\n`)
}

const updatesPerSecond = 50

/** The number of times that the CPU is measured. Their median counts, since other programs use the machine too. */
const windows = 7

const followedFor = measuredOnce(async (bench: Bench) => {
  await using stack = new AsyncDisposableStack()
  const { scans, urls } = await scansWith(bench, stack, { names: 5_000, updatesPerSecond })
  const dsoPartyId = await scans.call<string>('dso')
  const mirror = { level: 'stream', spotCheckInterval: '24h', maxBytesPerMinute: '1GiB' }
  const follower = await daemonOf(bench, urls, { mirror, dsoPartyId })
  stack.use(follower.child)
  const idle = await daemonOf(bench, urls, { mirror: { level: 'off' }, dsoPartyId })
  stack.use(idle.child)
  // Both daemons are asked, so that the CPU of answering is no part of the difference.
  const status = async () => {
    const ofFollower = follower.child.call<{ mirror: StreamNow }>('status')
    await idle.child.call('status')
    return (await ofFollower).mirror
  }
  for (let looks = 0; (await status()).level !== 'stream'; looks++) {
    if (looks > 600) throw new Error(`the mirror does not follow: ${JSON.stringify(await status())}`)
    await sleep(100)
  }
  await sleep(bench.warmUpMs)
  const ages: number[] = []
  const shares: number[] = []
  while (shares.length < windows) {
    const [began, own, others] = [performance.now(), await follower.cpuUs(), await idle.cpuUs()]
    while (performance.now() - began < 30 * bench.roundMs) {
      await sleep(250)
      ages.push((Date.now() - Date.parse((await status()).asOf ?? '')) / 1_000)
    }
    const us = (await follower.cpuUs()) - own - ((await idle.cpuUs()) - others)
    shares.push(us / 1_000 / (performance.now() - began))
  }
  return {
    share: median(shares),
    greatestShare: Math.max(...shares),
    lagSeconds: Math.max(...ages),
    seconds: ages.length / 4,
  }
})

interface StreamNow {
  readonly level: string
  readonly asOf: string | null
}

/** Measures which share of a core the daemon needs to follow a busy network. */
export async function cpuOfFollowing(bench: Bench): Promise<Outcome> {
  const { share, greatestShare, seconds } = await followedFor(bench)
  return { kind: 'measured', figure: share, detail: { updatesPerSecond, greatestShare, seconds } }
}

/** Measures the greatest age of the mirror's state while it follows a busy network, in seconds. */
export async function lagOfFollowing(bench: Bench): Promise<Outcome> {
  const { lagSeconds } = await followedFor(bench)
  return { kind: 'measured', figure: lagSeconds, detail: { updatesPerSecond } }
}
