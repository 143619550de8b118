import { Redis } from 'ioredis'
import { afterAll, describe, expect, test } from 'vitest'
import { RedisInvalidations } from '../../src/core/cache/invalidations.redis.ts'
import { topic } from '../../src/core/cache/key.ts'
import { RedisStore } from '../../src/core/cache/store.redis.ts'
import { eventually } from '../support/eventually.ts'
import { ago, ManualClock } from '../support/manual-clock.ts'
import { sharedRedis, startRedisServer } from '../support/redis.ts'
import { random } from './open.ts'
import { Recorder } from './recorder.ts'
import { answerOf, byName, keyOf, rememberedOf } from './samples.ts'

const redis = await sharedRedis()
afterAll(() => redis[Symbol.asyncDispose]())

const named = (name: string) => topic(byName, { name })

function open(url: string, prefix: string) {
  const clock = new ManualClock()
  const events = new Recorder()
  const invalidations = new RedisInvalidations({ url, prefix }, { clock, random, events })
  return { clock, events, invalidations, [Symbol.asyncDispose]: () => invalidations[Symbol.asyncDispose]() }
}

async function openTwo() {
  const prefix = redis.newPrefix()
  const two = [open(redis.url, prefix), open(redis.url, prefix)] as const
  await Promise.all(two.map(({ events }) => events.next('invalidationsFollowed', true)))
  return {
    two,
    prefix,
    async [Symbol.asyncDispose]() {
      await Promise.all(two.map((one) => one[Symbol.asyncDispose]()))
    },
  }
}

describe('invalidations of daemons at one Redis', () => {
  test('are adopted only while the stream of invalidations is followed', async () => {
    await using server = await startRedisServer()
    await using one = open(server.url, 'followed')
    expect(one.invalidations.localPointOf(keyOf('alice'), '1-0')).toBeUndefined()
    await one.events.next('invalidationsFollowed', true)
    expect(one.invalidations.localPointOf(keyOf('alice'), '1-0')).toBeDefined()
    const lost = one.events.next('invalidationsFollowed', false)
    await server.stop()
    await lost
    expect(one.invalidations.localPointOf(keyOf('alice'), '1-0')).toBeUndefined()
  })

  test('publish what was invalidated while an earlier invalidation was on its way, together and once', async () => {
    await using both = await openTwo()
    const [one, other] = both.two
    const heard = other.events.next('invalidated', 'elsewhere', 2)
    for (const name of ['alice', 'bob', 'carol']) one.invalidations.invalidate([named(name)])
    await heard
    const stream = await redis.client.xrange(`bft:${both.prefix}:raises`, '-', '+')
    const topics = stream.map(
      ([, fields]) => JSON.parse(fields[fields.indexOf('topics') + 1] ?? '') as string[],
    )
    expect(topics).toEqual([[named('alice')], [named('bob'), named('carol')]])
  })
})

test('without a prefix answers and invalidations are under the names that all daemons know', async () => {
  await using server = await startRedisServer()
  const clock = new ManualClock()
  const events = new Recorder()
  await using invalidations = new RedisInvalidations({ url: server.url }, { clock, random, events })
  await using store = new RedisStore({ url: server.url }, { clock, random, events, invalidations })
  await Promise.all([events.next('invalidationsFollowed', true), events.next('redisUp', true)])
  const client = new Redis(server.url)
  await store.set(keyOf('alice'), rememberedOf(answerOf('alice'), { agreedAt: ago(clock) }))
  invalidations.invalidate([named('alice')])
  await eventually(async () => (await client.dbsize()) === 2)
  const names = (await client.keys('*')).sort()
  client.disconnect()
  expect(names).toEqual([expect.stringMatching(/^bft::lookupAnsEntryByName:[\w-]{43}$/), 'bft::raises'])
})

describe('an invalidation that Redis does not take', () => {
  test('is reported, and tried again a second later, until the invalidations are closed', async () => {
    await using server = await startRedisServer({ started: false })
    const one = open(server.url, 'down')
    for (let tries = 1; tries <= 3; tries++) {
      const failed = one.events.next('redisFailed', 'invalidate')
      if (tries === 1) one.invalidations.invalidate([named('alice')])
      else one.clock.advance(1)
      await failed
      await eventually(() => one.clock.waiting === 1)
      one.clock.advance(999)
      expect(one.events.count('redisFailed', 'invalidate')).toBe(tries)
    }
    await one[Symbol.asyncDispose]()
    expect(one.clock.waiting).toBe(0)
    one.invalidations.invalidate([named('bob')])
    one.clock.advance(60_000)
    expect([one.clock.waiting, one.events.count('redisFailed', 'invalidate')]).toEqual([0, 3])
  })

  test('has one retry at a time, however often something is invalidated meanwhile', async () => {
    await using server = await startRedisServer({ started: false })
    await using one = open(server.url, 'down')
    for (let invalidated = 1; invalidated <= 3; invalidated++) {
      const failed = one.events.next('redisFailed', 'invalidate')
      one.invalidations.invalidate([named(String(invalidated))])
      await failed
      await eventually(() => one.clock.waiting === 1)
    }
    expect(one.clock.waiting).toBe(1)
  })
})

interface Pause {
  readonly ms: number
  readonly end: () => void
  isCancelled: boolean
}

/** A clock whose pauses end only where a test ends them. */
class PausingClock extends ManualClock {
  readonly #pauses: Pause[] = []

  override after(ms: number, end: () => void): () => void {
    const pause: Pause = { ms, end, isCancelled: false }
    this.#pauses.push(pause)
    return () => {
      pause.isCancelled = true
    }
  }

  async next(): Promise<Pause> {
    await eventually(() => this.#pauses.length > 0)
    return this.#pauses.shift() as Pause
  }
}

describe('a stream of invalidations whose key holds something else', () => {
  async function openBlocked() {
    const prefix = redis.newPrefix()
    const key = `bft:${prefix}:raises`
    await redis.client.set(key, 'no stream')
    const clock = new PausingClock()
    const events = new Recorder()
    const deps = { clock, random: () => 0.5, events }
    return {
      key,
      prefix,
      clock,
      events,
      invalidations: new RedisInvalidations({ url: redis.url, prefix }, deps),
    }
  }

  test('is said not to be followed, is tried again after pauses that double up to 5 s, and is followed once it can be', async () => {
    const { key, prefix, clock, events, invalidations } = await openBlocked()
    await using _ = invalidations
    const followed = events.next('invalidationsFollowed', true)
    const waited: number[] = []
    for (let tries = 0; tries < 9; tries++) {
      const pause = await clock.next()
      waited.push(pause.ms)
      if (tries === 8) await redis.client.del(key)
      pause.end()
    }
    expect(waited).toEqual([75, 150, 300, 600, 1_200, 2_400, 3_750, 3_750, 3_750])
    await followed
    expect(events.count('invalidationsFollowed', false)).toBe(1)
    await using other = open(redis.url, prefix)
    const heard = events.next('invalidated', 'elsewhere', 1)
    other.invalidations.invalidate([named('alice')])
    await heard
  })

  test('is left at once when it is closed during a pause', async () => {
    const { clock, invalidations } = await openBlocked()
    const pause = await clock.next()
    expect(pause.isCancelled).toBe(false)
    await invalidations[Symbol.asyncDispose]()
    expect(pause.isCancelled).toBe(true)
  })
})
