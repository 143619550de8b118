import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startLocalnet, type WorldLocalnet } from '../../src/localnet/localnet.ts'
import { makeKey } from '../../src/receipts/key-files.ts'
import type { SigningKey } from '../../src/receipts/signing-key.ts'
import { type Running, startRemote } from '../support/daemon.ts'
import { eventually } from '../support/eventually.ts'
import { ManualClock } from '../support/manual-clock.ts'

export type Answering = (path: string) => Promise<{ readonly status: number; readonly body: Buffer | string }>

/**
 * A server at the public address of a daemon. The server opens before the daemon starts, so that other daemons can have
 * its URL in their configuration.
 */
export interface Door extends AsyncDisposable {
  readonly url: string
  readonly asked: string[]
  answer: Answering
}

async function openDoor(): Promise<Door> {
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    door.asked.push(path)
    door.answer(path).then(
      ({ status, body }) => response.writeHead(status, { 'content-type': 'application/json' }).end(body),
      () => response.destroy(),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const door: Door = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: [],
    answer: async () => ({ status: 503, body: '' }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return door
}

/** The owner of a daemon. The other owners know the daemon's key and address before the daemon runs. */
export interface Owner {
  readonly name: string
  readonly key: SigningKey
  readonly keyFile: string
  readonly door: Door
}

/** The owners of several daemons. All daemons ask one localnet, and share one clock that the test moves. */
export interface Neighbourhood extends AsyncDisposable {
  readonly clock: ManualClock
  readonly localnet: WorldLocalnet
  readonly owners: readonly Owner[]
  /**
   * Starts the daemon of an owner, with the daemons of all other owners as its peers. By default, `own` is the shared
   * clock.
   */
  start(owner: Owner, config?: Readonly<Record<string, unknown>>, own?: ManualClock): Promise<Running>
  /**
   * Moves the clock past the end of the epoch. Resolves when each of these daemons has fetched the epoch from all its
   * peers.
   */
  endEpoch(...running: readonly Running[]): Promise<void>
}

export async function neighbours(...names: readonly string[]): Promise<Neighbourhood> {
  await using stack = new AsyncDisposableStack()
  const clock = new ManualClock()
  const folder = await mkdtemp(join(tmpdir(), 'neighbours-'))
  stack.defer(() => rm(folder, { recursive: true }))
  const localnet = stack.use(await startLocalnet({ superValidators: 4 }, { clock })) as WorldLocalnet
  const owners = await Promise.all(
    names.map(async (name): Promise<Owner> => {
      const keyFile = join(folder, `${name}.pem`)
      return { name, key: await makeKey(keyFile), keyFile, door: stack.use(await openDoor()) }
    }),
  )
  const seeds = localnet.superValidators.map(({ url }) => url)
  const held = stack.move()
  return {
    clock,
    localnet,
    owners,
    async start(owner, config = {}, own = clock) {
      const others = owners.filter((other) => other !== owner)
      const peers = Object.fromEntries(
        others.map(({ name, key, door }) => [name, { url: door.url, keys: [key.keyid] }]),
      )
      const receipts = { 'receipts.keyFile': owner.keyFile, 'receipts.peers': peers }
      const running = await startRemote(seeds, { ...receipts, ...config }, { clock: own })
      owner.door.answer = async (path) => {
        const { status, body } = await running.get(path)
        return { status, body }
      }
      await quiet(running)
      return running
    },
    async endEpoch(...running) {
      // The first step ends the epoch. The daemons compare their observations 30 s later, within the second step.
      const remaining = 600_000 - (clock.wall() % 600_000)
      for (const ms of [remaining, 31_000]) {
        clock.advance(ms)
        for (const each of running) await quiet(each)
      }
      for (const each of running) await eventually(async () => isFetched(await each.report('/status')))
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}

async function quiet(running: Running): Promise<void> {
  await eventually(async () => (await running.metrics()).value('scan_proxy_in_flight_asks') === 0)
}

interface SplitViewStatus {
  readonly splitView: {
    readonly epoch: number
    readonly lastPublished: number | null
    readonly peers: readonly { readonly lastFetch: { readonly epoch: number } | null }[]
  }
}

function isFetched({ splitView: { epoch, peers } }: SplitViewStatus): boolean {
  return peers.every(({ lastFetch }) => lastFetch?.epoch === epoch - 1)
}

export function observations(status: { readonly splitView: { readonly observations: number } }): number {
  return status.splitView.observations
}

/**
 * If `fault` is `retell`, sv-1 gives this daemon other contents of contracts than it gives other daemons. Resolves when
 * the daemon has made four observations.
 */
export async function startHearing(
  { localnet, start }: Neighbourhood,
  owner: Owner,
  fault?: 'retell',
): Promise<Running> {
  await localnet.setFault('sv-1', fault === undefined ? undefined : { kind: fault })
  const running = await start(owner)
  await eventually(async () => observations(await running.report('/status')) >= 4)
  await localnet.setFault('sv-1', undefined)
  return running
}
