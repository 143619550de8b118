import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { topic } from '../../src/core/cache/key.ts'
import { eventually, whileElecting } from '../support/eventually.ts'
import type { RedisServer } from '../support/redis.ts'
import { asked, startCluster, startSentinels } from '../support/redis-groups.ts'
import { openSharers, redisOf, type Sharer } from '../support/sharers.ts'

// ioredis writes to the console if an error event has no listener.
const written = vi.spyOn(console, 'error')
afterEach(() => expect(written).not.toHaveBeenCalled())

const sharers = await openSharers()
const { asksFor, lookUp, start, isShared } = sharers
afterAll(() => sharers[Symbol.asyncDispose]())

const isUp = async (member: Sharer) => (await redisOf(member)) === 'up'

/** Only a daemon that hears of other daemons' invalidations uses the answers that other daemons stored. */
async function usesRedis(member: Sharer): Promise<boolean> {
  const heard = member.lines().some(({ msg }) => msg === 'changes of names by other daemons are heard')
  return heard && (await isUp(member))
}

async function expectInvalidationHeard(one: Sharer, other: Sharer, name: string): Promise<void> {
  const invalidations = async () =>
    (await other.metrics()).value('scan_proxy_invalidations_total', { from: 'elsewhere' })
  const before = await invalidations()
  one.daemon.scan.invalidations.invalidate([topic('lookupAnsEntryByName', { name })])
  await eventually(async () => (await invalidations()) > before, whileElecting)
  const asks = asksFor(name)
  await lookUp(other, name)
  expect(asksFor(name)).toBeGreaterThan(asks)
}

async function pair(url: string, opened: AsyncDisposableStack): Promise<[one: Sharer, other: Sharer]> {
  const daemons = await Promise.all([start(url), start(url)])
  const [one, other] = daemons.map((daemon) => opened.use(daemon)) as [Sharer, Sharer]
  await eventually(async () => (await usesRedis(one)) && (await usesRedis(other)), whileElecting)
  return [one, other]
}

async function lookUpUntil(one: Sharer, what: string, holds: () => Promise<boolean>): Promise<void> {
  for (let count = 0; !(await holds()); count++) await lookUp(one, `${what}-${count}`)
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
      await expectInvalidationHeard(one, other, `${how}-before`)

      await lose(master)
      await lookUpUntil(one, `${how}-without`, async () => (await group.masterPort()) === replica.port)
      await lookUpUntil(one, `${how}-since`, async () => (await isUp(one)) && (await isUp(other)))
      let round = 0
      await eventually(() => isShared(one, other, `${how}-after-${round++}`), whileElecting)
      await expectInvalidationHeard(one, other, `${how}-after-0`)

      await bringBack(master)
      // Other names are tried because, on a busy machine, a command to Redis can take longer than a lookup waits.
      round = 0
      await eventually(() => isShared(one, other, `${how}-again-${round++}`), whileElecting)
      await expectInvalidationHeard(one, other, `${how}-again-0`)
    },
    30_000,
  )
})

test('The end of one Sentinel changes nothing', async () => {
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
    // Other names are tried because the first command to a node waits for the connection, which can take longer than a
    // lookup waits.
    let tried = 0
    for (let count = 0; count < 16; count++)
      await eventually(() => isShared(one, other, `spread-${tried++}`), whileElecting)
    for (const node of cluster.nodes) {
      expect(await asked(node, (client) => client.dbsize())).toBeGreaterThan(0)
    }
    await expectInvalidationHeard(one, other, 'spread-0')

    const nodeOfInvalidations = await cluster.nodeOf('bft::raises')
    await nodeOfInvalidations.stop()
    for (let count = 0; count < 20; count++) await lookUp(one, `without-${count}`)
    await nodeOfInvalidations.start()
    let round = 0
    for (let node = 0; node < 8; node++)
      await eventually(() => isShared(one, other, `back-${round++}`), whileElecting)
    await eventually(async () => (await isUp(one)) && (await isUp(other)), whileElecting)
    await expectInvalidationHeard(one, other, 'spread-1')
  }, 30_000)
})
