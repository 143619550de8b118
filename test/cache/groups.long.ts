import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { topic } from '../../src/cache/key.ts'
import { byName } from '../daemon/questions.ts'
import { type Running, startLiveRemote } from '../support/daemon.ts'
import { eventually, soonerThan, whileElecting } from '../support/eventually.ts'
import type { RedisServer } from '../support/redis.ts'
import { asked, startCluster, startSentinels } from '../support/redis-groups.ts'
import { Scans } from '../support/scans.ts'

type Member = Running<undefined>

// ioredis writes errors without a listener to the console.
const written = vi.spyOn(console, 'error')
afterEach(() => expect(written).not.toHaveBeenCalled())

let scans: Scans
beforeAll(async () => {
  scans = await Scans.listen('a', 'b', 'c', 'd')
})
afterAll(() => scans[Symbol.asyncDispose]())

const asksFor = (name: string) => scans.nodes.reduce((sum, node) => sum + node.count(`/by-name/${name}`), 0)

function start(url: string): Promise<Member> {
  return startLiveRemote(scans.urls, { 'cache.redis.url': url, 'http.missesPerSecond': 'none' })
}

async function isUp(member: Member): Promise<boolean> {
  return (await member.report('/status')).cache.redis === 'up'
}

/** Whether a daemon reaches Redis, and may use what other daemons stored there. */
async function usesRedis(member: Member): Promise<boolean> {
  const heard = member.lines().some(({ msg }) => msg === 'changes of names by other daemons are heard')
  return heard && (await isUp(member))
}

/** Asks for a name, and expects the right answer in time, whatever Redis does. */
async function right({ get }: Member, name: string): Promise<string> {
  const heard = await soonerThan(1_000, get(byName(name)))
  expect(heard.status).toBe(200)
  expect(JSON.parse(heard.text).entry.name).toBe(name)
  return String(heard.headers['cache-status'])
}

/** Whether one daemon gets the answer that the other one loaded, without any ask of a scan. */
async function isShared(one: Member, other: Member, name: string): Promise<boolean> {
  await right(one, name)
  const asks = asksFor(name)
  return (await right(other, name)).includes('; hit; ') && asksFor(name) === asks
}

/**
 * Invalidates a name on one daemon, as its ledger would. Resolves when the other daemon has read that and asks
 * anew.
 */
async function invalidate(one: Member, other: Member, name: string): Promise<void> {
  const invalidations = async () =>
    (await other.metrics()).value('scan_proxy_invalidations_total', { from: 'elsewhere' })
  const before = await invalidations()
  one.daemon.scan.invalidations.invalidate([topic('lookupAnsEntryByName', { name })])
  await eventually(async () => (await invalidations()) > before, whileElecting)
  const asks = asksFor(name)
  await right(other, name)
  expect(asksFor(name)).toBeGreaterThan(asks)
}

async function pair(url: string, opened: AsyncDisposableStack): Promise<[one: Member, other: Member]> {
  const daemons = await Promise.all([start(url), start(url)])
  const [one, other] = daemons.map((daemon) => opened.use(daemon)) as [Member, Member]
  await eventually(async () => (await usesRedis(one)) && (await usesRedis(other)), whileElecting)
  return [one, other]
}

/** Looks up new names until the condition holds. */
async function lookUpUntil(one: Member, what: string, holds: () => Promise<boolean>): Promise<void> {
  for (let count = 0; !(await holds()); count++) await right(one, `${what}-${count}`)
}

describe('A master that its Sentinels replace', () => {
  test.each([
    ['dies', (master: RedisServer) => master.stop(), (master: RedisServer) => master.start()],
    ['hangs', async (master: RedisServer) => master.freeze(), async (master: RedisServer) => master.thaw()],
  ])(
    'when it %s costs misses and no answer, and the new one is used',
    async (how, lose, bringBack) => {
      await using opened = new AsyncDisposableStack()
      const group = opened.use(await startSentinels())
      const [master, replica] = group.servers
      const [one, other] = await pair(group.url, opened)
      expect(await isShared(one, other, `${how}-before`)).toBe(true)
      await invalidate(one, other, `${how}-before`)

      await lose(master)
      await lookUpUntil(one, `${how}-without`, async () => (await group.masterPort()) === replica.port)
      await lookUpUntil(one, `${how}-since`, async () => (await isUp(one)) && (await isUp(other)))
      let round = 0
      await eventually(() => isShared(one, other, `${how}-after-${round++}`), whileElecting)
      await invalidate(one, other, `${how}-after-0`)

      await bringBack(master)
      // A busy machine may take longer for a command than a lookup waits.
      round = 0
      await eventually(() => isShared(one, other, `${how}-again-${round++}`), whileElecting)
      await invalidate(one, other, `${how}-again-0`)
    },
    30_000,
  )
})

test('A Sentinel that ends is missed by nobody', async () => {
  await using opened = new AsyncDisposableStack()
  const group = opened.use(await startSentinels())
  const [master, replica] = group.servers
  const [one, other] = await pair(group.url, opened)
  await group.sentinels[2]?.stop()
  expect(await isShared(one, other, 'two-sentinels')).toBe(true)
  await master.stop()
  await lookUpUntil(one, 'two-left', async () => (await group.masterPort()) === replica.port)
  let round = 0
  await eventually(() => isShared(one, other, `two-after-${round++}`), whileElecting)
}, 30_000)

describe('A Cluster of three nodes', () => {
  test('keeps answers on all of them, and invalidations are heard; without one of them misses are all it costs', async () => {
    await using opened = new AsyncDisposableStack()
    const cluster = opened.use(await startCluster())
    const [one, other] = await pair(cluster.url, opened)
    // The first command to a node waits for its connection, and a busy machine may take longer than a lookup waits.
    let tried = 0
    for (let count = 0; count < 16; count++)
      await eventually(() => isShared(one, other, `spread-${tried++}`), whileElecting)
    for (const node of cluster.nodes) {
      expect(await asked(node, (client) => client.dbsize())).toBeGreaterThan(0)
    }
    await invalidate(one, other, 'spread-0')

    const nodeOfInvalidations = await cluster.nodeOf('bft::raises')
    await nodeOfInvalidations.stop()
    for (let count = 0; count < 20; count++) await right(one, `without-${count}`)
    await nodeOfInvalidations.start()
    let round = 0
    for (let node = 0; node < 8; node++)
      await eventually(() => isShared(one, other, `back-${round++}`), whileElecting)
    await eventually(async () => (await isUp(one)) && (await isUp(other)), whileElecting)
    await invalidate(one, other, 'spread-1')
  }, 30_000)
})
