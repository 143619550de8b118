import { afterAll, describe, expect, test } from 'vitest'
import type { Answer } from '../../src/core/cache/answer.ts'
import type { RefusalReason } from '../../src/core/cache/events.ts'
import type { RedisStoreOptions } from '../../src/core/cache/store.redis.ts'
import { ago, ManualClock } from '../support/manual-clock.ts'
import { sharedRedis } from '../support/redis.ts'
import { connectRedisStore, type OpenRedis } from './open.ts'
import { absenceOf, answerOf, keyOf, minutes, rememberedOf } from './samples.ts'

const redis = await sharedRedis()
afterAll(() => redis[Symbol.asyncDispose]())

function options(change: Partial<RedisStoreOptions> = {}): RedisStoreOptions {
  return { url: redis.url, prefix: redis.newPrefix(), ...change }
}

async function keysOf({ prefix }: RedisStoreOptions): Promise<string[]> {
  return await redis.client.keys(`bft:${prefix}:*`)
}

async function onlyKept(of: RedisStoreOptions): Promise<string> {
  const [name] = await keysOf(of)
  if (name === undefined) throw new Error('nothing is kept')
  return name
}

describe('what is kept in Redis', () => {
  test('is named by the prefix and the read, and has no name or party in it', async () => {
    const where = options()
    await using open = await connectRedisStore(where)
    await open.store.set(keyOf('alice.unverified.cns'), rememberedOf(answerOf('alice')))
    expect(await onlyKept(where)).toMatch(new RegExp(`^bft:${where.prefix}:lookupAnsEntryByName:[\\w-]{43}$`))
  })

  test.each<[what: string, made: (wall: number) => Answer, leftMs: number]>([
    ['its stale time is over', () => answerOf('a'), minutes.staleMs - 10_000],
    ['the answer ends, if that is earlier', (wall) => answerOf('a', { endsAt: wall + 30_000 }), 30_000],
    ['the fresh time of an absence is over', () => absenceOf('a'), minutes.freshMs - 10_000],
  ])('leaves Redis when %s', async (_, made, leftMs) => {
    const where = options()
    const clock = new ManualClock()
    await using open = await connectRedisStore(where, clock)
    const agreedAt = ago(clock, 10_000)
    await open.store.set(keyOf('alice'), rememberedOf(made(clock.wall()), { agreedAt }))
    const left = await redis.client.pttl(await onlyKept(where))
    expect(left).toBeLessThanOrEqual(leftMs)
    expect(left).toBeGreaterThan(leftMs - 10_000)
  })

  test('is nothing that has ended already', async () => {
    const where = options()
    const clock = new ManualClock()
    await using open = await connectRedisStore(where, clock)
    const old = { agreedAt: ago(clock, minutes.staleMs) }
    await open.store.set(keyOf('old'), rememberedOf(answerOf('old'), old))
    await open.store.set(keyOf('over'), rememberedOf(answerOf('over', { endsAt: clock.wall() })))
    expect(await keysOf(where)).toEqual([])
  })

  test('is looked up as fresh, stale or missing', async () => {
    const clock = new ManualClock()
    await using open = await connectRedisStore(options(), clock)
    await open.store.set(keyOf('alice'), rememberedOf(answerOf('alice'), { agreedAt: ago(clock) }))
    await open.store.get(keyOf('alice'))
    clock.advance(minutes.freshMs)
    expect(await open.store.get(keyOf('alice'))).toBeDefined()
    clock.advance(minutes.staleMs - minutes.freshMs)
    expect(await open.store.get(keyOf('alice'))).toBeUndefined()
    await open.store.get(keyOf('bob'))
    const lookups = open.events.told.filter(([name]) => name === 'cacheLookup').map(([, , result]) => result)
    expect(lookups).toEqual(['hit', 'stale', 'miss', 'miss'])
  })
})

describe('an age on its way through Redis', () => {
  const cases = [
    { ahead: 0, sentence: 'with clocks that agree' },
    { ahead: -4_000, sentence: 'with a reader whose clock is 4 s behind' },
    { ahead: 4_000, sentence: 'with a reader whose clock is 4 s ahead' },
    { ahead: 60_000, sentence: 'with a reader whose clock is a minute ahead' },
  ]
  for (const { ahead, sentence } of cases) {
    test(`does not get younger ${sentence}`, async () => {
      const where = options()
      const writerClock = new ManualClock()
      const readerClock = new ManualClock(writerClock.wall() + ahead)
      await using writer = await connectRedisStore(where, writerClock)
      await using reader = await connectRedisStore(where, readerClock)
      const agreedAt = ago(writerClock, 10_000)
      await writer.store.set(keyOf('alice'), rememberedOf(answerOf('alice'), { agreedAt }))
      const found = await reader.store.get(keyOf('alice'))
      const ageMs = readerClock.now() - (found?.agreedAt.now ?? Number.POSITIVE_INFINITY)
      expect(ageMs).toBeGreaterThanOrEqual(10_000)
      expect(ageMs).toBeLessThan(10_000 + Math.max(0, ahead) + 5_000)
    })
  }

  test('is not believed when it is dated in the future', async () => {
    const where = options()
    const writerClock = new ManualClock()
    await using writer = await connectRedisStore(where, writerClock)
    await using reader = await connectRedisStore(where, new ManualClock(writerClock.wall() - 5_001))
    await writer.store.set(keyOf('alice'), rememberedOf(answerOf('alice'), { agreedAt: ago(writerClock) }))
    await expectRefused(reader, 'time')
  })

  test('is not believed if another program made the answer last for ever', async () => {
    const where = options()
    await using open = await connectRedisStore(where)
    await open.store.set(keyOf('alice'), rememberedOf(answerOf('alice')))
    await redis.client.persist(await onlyKept(where))
    await expectRefused(open, 'time')
  })

  test('is at least what the clocks say if another program made the answer last longer', async () => {
    const where = options()
    const clock = new ManualClock()
    await using open = await connectRedisStore(where, clock)
    await open.store.set(keyOf('alice'), rememberedOf(answerOf('alice'), { agreedAt: ago(clock) }))
    await redis.client.pexpire(await onlyKept(where), 10 * minutes.staleMs)
    clock.advance(20_000)
    expect((await open.store.get(keyOf('alice')))?.agreedAt).toEqual(ago(clock, 20_000))
  })
})

test('data in Redis of a later version is a miss and is reported, and gives way to an answer', async () => {
  const where = options()
  await using open = await connectRedisStore(where)
  await open.store.set(keyOf('alice'), rememberedOf(answerOf('alice')))
  const name = await onlyKept(where)
  const value = (await redis.client.getBuffer(name)) ?? Buffer.alloc(0)
  value[3] = 0xff
  await redis.client.set(name, value, 'PX', 60_000)
  await expectRefused(open, 'version')
  await open.store.set(keyOf('alice'), rememberedOf(answerOf('alice')))
  expect(await open.store.get(keyOf('alice'))).toBeDefined()
})

test('a database number is part of the address', async () => {
  const where = options()
  const other = new URL(redis.url)
  other.pathname = '/1'
  await using first = await connectRedisStore(where)
  await using second = await connectRedisStore({ ...where, url: other.href })
  await first.store.set(keyOf('alice'), rememberedOf(answerOf('alice')))
  expect(await second.store.get(keyOf('alice'))).toBeUndefined()
  expect(await first.store.get(keyOf('alice'))).toBeDefined()
})

async function expectRefused({ store, events }: OpenRedis, reason: RefusalReason): Promise<void> {
  const before = events.count('redisRefused')
  expect(await store.get(keyOf('alice'))).toBeUndefined()
  expect(events.count('redisRefused')).toBe(before + 1)
  expect(events.told.findLast(([name]) => name === 'redisRefused')).toEqual(['redisRefused', reason])
  expect(events.told.at(-1)).toEqual(['cacheLookup', 'redis', 'miss'])
}
