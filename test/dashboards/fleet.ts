import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setInterval } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Faults } from '../../src/localnet/faults.ts'
import { startLocalnet } from '../../src/localnet/localnet.ts'
import { Caller, lookUp } from '../support/caller.ts'
import {
  type Running,
  type Stage,
  startEmbedded,
  startLiveRemote,
  startLiveStage,
} from '../support/daemon.ts'
import { freePort } from '../support/free-port.ts'
import { DaemonProcess } from '../support/process.ts'
import { type RedisServer, startRedisServer } from '../support/redis.ts'

/** The durations are a sixtieth of their defaults. The windows of the alert rules are shorter by the same factor. */
const shorter = { 'scanClient.refreshInterval': '10s', 'scanClient.probeInterval': '500ms' }
const quick = { ...shorter, 'scanClient.requestTimeout': '500ms', 'scanClient.deadline': '1s' }
const operators = { 'scanClient.operators': { alpha: ['sv-1'], beta: ['sv-2'] } }

export interface Fleet extends AsyncDisposable {
  readonly jobs: Readonly<Record<string, string>>
  readonly faulty: Running<undefined>
  readonly mirrored: Stage<undefined>
  readonly redis: RedisServer
}

export async function startFleet(): Promise<Fleet> {
  await using opened = new AsyncDisposableStack()
  const redis = opened.use(await startRedisServer())
  const folder = await mkdtemp(join(tmpdir(), 'fleet-'))
  opened.defer(() => rm(folder, { recursive: true }))
  const foreign = join(folder, 'notes.txt')
  await writeFile(foreign, 'The file of another program.')
  const mirrorless = { 'mirror.level': 'bindings', 'mirror.file': foreign }
  const kept = { 'cache.redis.url': redis.url, 'guard.file': join(folder, 'floors') }
  const faulty = opened.use(
    await startEmbedded(
      { ...quick, ...operators, ...kept, ...mirrorless, 'scanClient.fanout': 'all' },
      { processMetrics: true },
    ),
  )
  const shared = { ...quick, 'guard.file': join(folder, 'floors of two') }
  const well = opened.use(await startEmbedded({ ...shared, 'scanClient.fanout': 'all' }))
  const [seed] = well.daemon.localnet?.superValidators ?? []
  const alone = opened.use(
    await startLiveRemote([seed?.url ?? ''], { ...shared, 'scanClient.scanType': 'trust-single' }),
  )
  const mirror = {
    'mirror.level': 'bindings',
    'mirror.spotCheckInterval': '1s',
    'mirror.file': join(folder, 'mirror.db'),
  }
  const mirrored = opened.use(await startLiveStage({ config: { ...quick, ...mirror } }))
  const newer = opened.use(await startNewerNetwork())
  const nowhere = `http://127.0.0.1:${await freePort()}`
  const lost = opened.use(await startLiveRemote([nowhere], quick))
  const full = opened.use(await DaemonProcess.start({ LEDGER_DRIVER: 'embedded', LEDGER_FILE: 'ledger.db' }))
  const fullAt = await full.listening()
  await promisify(execFile)('prlimit', ['--pid', String(full.pid), '--fsize=1:'])

  const bases = [faulty, well, alone, mirrored].map(({ daemon }) => daemon.http)
  const calls = keepCalling(bases, faulty.daemon.http, fullAt.http)
  opened.defer(() => calls[Symbol.asyncDispose]())
  const all = opened.move()
  return {
    jobs: {
      faulty: faulty.daemon.operations,
      well: well.daemon.operations,
      alone: alone.daemon.operations,
      lost: lost.daemon.operations,
      full: fullAt.operations,
      mirrored: mirrored.daemon.operations,
      newer: newer.daemon.operations,
    },
    faulty,
    mirrored,
    redis,
    [Symbol.asyncDispose]: () => all[Symbol.asyncDispose](),
  }
}

/** A daemon on a network with a release of Splice and Daml models that nobody has heard of. */
async function startNewerNetwork(): Promise<Running<undefined>> {
  await using opened = new AsyncDisposableStack()
  const localnet = opened.use(await startLocalnet({ superValidators: 4, amuletNameService: '0.1.99' }))
  await localnet.setFault('sv-1', { kind: 'odd-version' } as Faults)
  const urls = localnet.superValidators.map(({ url }) => url)
  const running = opened.use(await startLiveRemote(urls, { ...quick, 'mirror.level': 'bindings' }))
  const all = opened.move()
  return { ...running, [Symbol.asyncDispose]: () => all[Symbol.asyncDispose]() }
}

/**
 * Looks up a new name at every reader twenty times per second. Twice per second, also looks up `dso.cns` at every
 * reader, asks `writer` to create an entry, and taps coin at `full`.
 */
function keepCalling(readers: readonly string[], writer: string, full: string): AsyncDisposable {
  const stop = new AbortController()
  const done = call()
  async function call(): Promise<void> {
    const alice = await Caller.of('alice')
    const answered = await alice.call(writer, 'GET /v0/wallet/user-status')
    if (answered.status !== 200) throw new Error(`alice cannot begin: ${answered.status}`)
    let count = 0
    for await (const _ of setInterval(50)) {
      if (stop.signal.aborted) return
      count++
      const name = `n${count}.unverified.cns`
      const asks = readers.map((base) => alice.call(base, lookUp(name)))
      if (count % 10 === 0) {
        asks.push(...readers.map((base) => alice.call(base, lookUp('dso.cns'))))
        asks.push(alice.call(writer, 'POST /v0/entry/create', { name, url: '', description: '' }))
        asks.push(alice.call(writer, 'GET /v2/state/ledger-end'))
        asks.push(alice.call(full, 'POST /v0/wallet/tap', { amount: '1.0', command_id: name }))
      }
      await Promise.all(asks)
    }
  }
  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      await done
    },
  }
}
