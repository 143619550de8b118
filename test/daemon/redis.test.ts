import { Redis } from 'ioredis'
import { afterAll, describe, expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/free-port.ts'
import { type RedisServer, startRedisServer } from '../support/redis.ts'
import { openSharers, redisOf, type Sharer } from '../support/sharers.ts'

const sharers = await openSharers()
const { lookUp, start: startWith, isShared } = sharers
afterAll(() => sharers[Symbol.asyncDispose]())

async function isUp(daemon: Sharer): Promise<boolean> {
  return (await redisOf(daemon)) === 'up' && (await daemon.metrics()).value('scan_proxy_redis_up') === 1
}

async function keysOf(server: RedisServer): Promise<number> {
  const client = new Redis(server.url)
  const count = await client.dbsize()
  client.disconnect()
  return count
}

describe('Daemons with equal trust share their answers', () => {
  test('through Redis, with its age', async () => {
    await using server = await startRedisServer()
    await using first = await startWith(server.url)
    await using second = await startWith(server.url)
    await eventually(async () => (await isUp(first)) && (await isUp(second)))
    await lookUp(first, 'shared')
    await eventually(async () => (await keysOf(server)) > 0)
    expect(await isShared(first, second, 'shared')).toBe(true)
    const { value } = await second.metrics()
    expect(value('scan_proxy_cache_lookups_total', { tier: 'redis', result: 'hit' })).toBe(1)
  })

  test.each([
    ['another threshold', { 'scanClient.threshold': '2f+1' }, 0],
    ['operators', { 'scanClient.operators': { one: ['a', 'b'] } }, 0],
    ['another secret, whose answers it refuses', { 'cache.redis.secret': 'other' }, 1],
  ])('but not with one that has %s', async (_what, config, refusals) => {
    await using server = await startRedisServer()
    await using first = await startWith(server.url, { 'cache.redis.secret': 'one' })
    await using second = await startWith(server.url, { 'cache.redis.secret': 'one', ...config })
    await eventually(async () => (await isUp(first)) && (await isUp(second)))
    await lookUp(first, 'unshared')
    await eventually(async () => (await keysOf(server)) > 0)
    expect(await isShared(first, second, 'unshared')).toBe(false)
    const { value } = await second.metrics()
    expect(value('scan_proxy_redis_refusals_total', { reason: 'seal' })).toBe(refusals)
  })
})

describe('Lookups go on', () => {
  const outages: readonly (readonly [
    what: string,
    begin: (server: RedisServer) => unknown,
    end: (server: RedisServer) => unknown,
  ])[] = [
    ['without a Redis that goes away', (server) => server.stop(), (server) => server.start()],
    ['beside a Redis that answers nothing', (server) => server.freeze(), (server) => server.thaw()],
  ]
  test.each(outages)('%s, and it is used when it is back', async (_what, begin, end) => {
    await using server = await startRedisServer()
    await using first = await startWith(server.url)
    await using second = await startWith(server.url)
    await eventually(async () => (await isUp(first)) && (await isUp(second)))
    await begin(server)
    for (let round = 0; round < 20; round++) await lookUp(first, `gone-${round}`)
    await eventually(async () => (await redisOf(first)) === 'down')
    const { value } = await first.metrics()
    expect(value('scan_proxy_redis_up')).toBe(0)
    await end(server)
    await eventually(async () => (await isUp(first)) && (await isUp(second)))
    let round = 0
    await eventually(() => isShared(first, second, `back-${round++}`))
  })

  test('without a Redis that is down at the start, and it is used when it comes', async () => {
    const port = await freePort()
    const url = `redis://127.0.0.1:${port}`
    await using first = await startWith(url)
    await using second = await startWith(url)
    await lookUp(first, 'early')
    await lookUp(first, 'early')
    expect(await redisOf(first)).toBe('down')
    await using _server = await startRedisServer({ settings: { port: String(port) } })
    await eventually(async () => (await isUp(first)) && (await isUp(second)))
    let round = 0
    await eventually(() => isShared(first, second, `late-${round++}`))
  })

  test('beside a Redis that is full', async () => {
    const settings = { maxmemory: '1mb', 'maxmemory-policy': 'noeviction' }
    await using server = await startRedisServer({ settings })
    await using daemon = await startWith(server.url)
    await eventually(() => isUp(daemon))
    for (let round = 0; round < 10; round++) await lookUp(daemon, `full-${round}`)
    await eventually(async () => {
      const { value } = await daemon.metrics()
      return value('scan_proxy_redis_failures_total', { operation: 'set' }) > 0
    })
    for (let round = 0; round < 10; round++) {
      expect(await lookUp(daemon, `full-${round}`)).toContain('hit')
    }
  })

  test('beside a Redis that gives back garbage, of which nothing is used', async () => {
    await using server = await startRedisServer()
    await using first = await startWith(server.url)
    await using second = await startWith(server.url)
    await eventually(async () => (await isUp(first)) && (await isUp(second)))
    const names = ['text', 'cut', 'swapped', 'list', 'flipped']
    for (const name of names) await lookUp(first, name)
    await eventually(async () => (await keysOf(server)) >= names.length)
    const client = new Redis(server.url)
    const keys = (await client.keys('bft:*lookupAnsEntryByName*')).sort()
    const values = await Promise.all(keys.map((key) => client.getBuffer(key)))
    const spoil: readonly ((key: string, value: Buffer, next: Buffer) => Promise<unknown>)[] = [
      (key) => client.set(key, 'garbage', 'KEEPTTL'),
      (key, value) => client.set(key, value.subarray(0, value.length / 2), 'KEEPTTL'),
      (key, _value, next) => client.set(key, next, 'KEEPTTL'),
      async (key) => [await client.del(key), await client.lpush(key, 'x')],
      (key, value) => {
        const flipped = Buffer.from(value)
        flipped[flipped.length - 3] = (flipped.at(-3) ?? 0) ^ 1
        return client.set(key, flipped, 'KEEPTTL')
      },
    ]
    for (const [index, key] of keys.entries()) {
      await spoil[index]?.(key, values[index] as Buffer, values[(index + 1) % keys.length] as Buffer)
    }
    client.disconnect()
    for (const name of names) {
      expect(await lookUp(second, name), name).toContain('fwd=miss')
    }
    const { families } = await second.metrics()
    const refusals = families.get('scan_proxy_redis_refusals_total')?.samples ?? []
    expect(refusals.reduce((sum, { value }) => sum + value, 0)).toBe(names.length)
    const reasons = refusals.filter(({ value }) => value > 0).map(({ labels }) => labels['reason'])
    expect(reasons.toSorted()).toEqual(['digest', 'format', 'key', 'type'])
  })
})
