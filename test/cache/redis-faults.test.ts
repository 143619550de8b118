import { createServer } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { describe, expect, test } from 'vitest'
import { systemClock } from '../../src/base/lib/clock.ts'
import { freePort } from '../support/free-port.ts'
import { ago, ManualClock } from '../support/manual-clock.ts'
import { onLoopback } from '../support/on-loopback.ts'
import { startRedisServer } from '../support/redis.ts'
import { connectRedisStore, openRedisStore } from './open.ts'
import { answerOf, keyOf, rememberedOf } from './samples.ts'

const alice = () => rememberedOf(answerOf('alice'))

describe('Redis that is down', () => {
  test('is told with the reason why it cannot be used, and told again when the reason changes', async () => {
    await using server = await startRedisServer({ settings: { requirepass: 'right' }, started: false })
    await using open = openRedisStore({ url: server.url.replace('//', '//:wrong@') }, systemClock)
    const told = (because: RegExp) => ['redisUp', false, { because: expect.stringMatching(because) }]
    await open.events.next('redisUp', false)
    expect(open.events.told).toEqual([told(/^connect ECONNREFUSED /)])
    const again = open.events.next('redisUp', false)
    await server.start()
    await again
    expect(open.events.told).toContainEqual(told(/^WRONGPASS /))
  })

  test('is told where no Sentinel can be asked, and where no node of a Cluster can', async () => {
    const port = await freePort()
    for (const [url, because] of [
      [`redis+sentinel://127.0.0.1:${port}/main`, /^All sentinels are unreachable\. Last error: \S/],
      [`redis+cluster://127.0.0.1:${port}`, /^Failed to refresh slots cache\. \S/],
    ] as const) {
      await using open = openRedisStore({ url }, systemClock)
      await open.events.next('redisUp', false)
      expect(open.events.told).toEqual([['redisUp', false, { because: expect.stringMatching(because) }]])
    }
  })
})

describe('Redis that is slow', () => {
  test('is waited for no longer than 50 ms, once, and is used when it answers again', async () => {
    await using server = await startRedisServer()
    const clock = new ManualClock()
    await using open = await connectRedisStore({ url: server.url }, clock)
    await open.store.set(keyOf('alice'), rememberedOf(answerOf('alice'), { agreedAt: ago(clock) }))
    server.freeze()
    const first = open.store.get(keyOf('alice'))
    clock.advance(50)
    expect(await first).toBeUndefined()
    expect(open.events.told.slice(-3)).toEqual([
      ['redisUp', false, { because: 'Redis gave no answer within 50 ms' }],
      ['redisFailed', 'get', undefined],
      ['cacheLookup', 'redis', 'error'],
    ])
    expect(await open.store.get(keyOf('alice'))).toBeUndefined()
    await open.store.set(keyOf('bob'), rememberedOf(answerOf('bob')))
    expect(open.events.count('redisFailed')).toBe(1)
    server.thaw()
    const up = open.events.next('redisUp', true)
    clock.advance(100)
    await up
    expect(await open.store.get(keyOf('alice'))).toBeDefined()
  })

  test('is asked again after pauses that grow to 5 s', async () => {
    await using server = await startRedisServer()
    const clock = new ManualClock()
    await using open = await connectRedisStore({ url: server.url }, clock)
    server.freeze()
    const first = open.store.get(keyOf('alice'))
    clock.advance(50)
    await first
    for (let passed = 0; passed < 60_000; passed += 50) {
      clock.advance(50)
      await setImmediate()
    }
    server.thaw()
    const client = new Redis(server.url)
    const pings = /cmdstat_ping:calls=(\d+)/.exec(await client.info('commandstats'))?.[1]
    client.disconnect()
    expect(Number(pings)).toBeGreaterThan(10)
    expect(Number(pings)).toBeLessThan(40)
  })

  test('is owed at most a thousand answers, however many are wanted', async () => {
    await using server = await startRedisServer()
    const clock = new ManualClock()
    await using open = await connectRedisStore({ url: server.url }, clock)
    server.freeze()
    const lookups = Array.from({ length: 5_000 }, (_, name) => open.store.get(keyOf(String(name))))
    clock.advance(50)
    await Promise.all(lookups)
    expect(open.events.count('redisFailed', 'get')).toBe(1_000)
    expect(open.events.count('cacheLookup', 'redis', 'error')).toBe(5_000)
  })
})

test('a delete that Redis does not answer within 50 ms is given up and counted', async () => {
  await using server = await startRedisServer()
  const clock = new ManualClock()
  await using open = await connectRedisStore({ url: server.url }, clock)
  server.freeze()
  const deleted = open.store.delete(keyOf('alice'))
  clock.advance(50)
  await deleted
  expect(open.events.count('redisFailed', 'delete')).toBe(1)
})

describe('something that is not Redis', () => {
  test('may say what it likes', async () => {
    const notRedis = createServer((socket) => {
      socket.on('error', () => {})
      socket.on('data', () => socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n'))
    })
    using server = await onLoopback(notRedis)
    await using open = openRedisStore({ url: `redis://127.0.0.1:${server.port}` }, new ManualClock())
    await open.events.next('redisUp', false)
    expect(await open.store.get(keyOf('alice'))).toBeUndefined()
  })
})

describe('Redis that wants a password', () => {
  const password = 'p@ss/w:rd%?#'

  test('is used with it', async () => {
    await using server = await startRedisServer({ settings: { requirepass: `"${password}"` } })
    const url = `redis://:${encodeURIComponent(password)}@127.0.0.1:${server.port}`
    await using open = await connectRedisStore({ url }, new ManualClock())
    await open.store.set(keyOf('alice'), alice())
    expect(await open.store.get(keyOf('alice'))).toBeDefined()
  })
})

describe('Redis behind other addresses', () => {
  test('is found by its Sentinels', async () => {
    await using master = await startRedisServer()
    await using sentinel = await startRedisServer({
      sentinel: true,
      settings: { sentinel: `monitor main 127.0.0.1 ${master.port} 1` },
    })
    const url = `redis+sentinel://127.0.0.1:${sentinel.port}/main/2`
    await using open = await connectRedisStore({ url }, new ManualClock())
    await open.store.set(keyOf('alice'), alice())
    expect(await open.store.get(keyOf('alice'))).toBeDefined()
    const client = new Redis(`${master.url}/2`)
    expect(await client.dbsize()).toBe(1)
    client.disconnect()
  })
})
