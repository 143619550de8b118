import { setImmediate } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { afterAll, describe, expect, test } from 'vitest'
import { Answers } from '../../src/core/cache/answers.ts'
import { RedisInvalidations } from '../../src/core/cache/invalidations.redis.ts'
import { cacheKey, topic } from '../../src/core/cache/key.ts'
import { MemoryStore } from '../../src/core/cache/store.memory.ts'
import { RedisStore } from '../../src/core/cache/store.redis.ts'
import { Tiers } from '../../src/core/cache/tiers.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { type RedisServer, sharedRedis, startRedisServer } from '../support/redis.ts'
import { ask, HeldLoads, peek } from './loads.ts'
import { random } from './open.ts'
import { Recorder } from './recorder.ts'
import { absenceOf, answerOf, byName, keyOf, list, minutes, trust } from './samples.ts'

const alice = keyOf('alice')
const aliceTopic = topic(byName, { name: 'alice' })

const redis = await sharedRedis()
afterAll(() => redis[Symbol.asyncDispose]())

/**
 * The cache of one daemon. Its clock stands still, so an invalidation is published again only because the connection is
 * back.
 */
class Daemon implements AsyncDisposable {
  readonly clock = new ManualClock()
  readonly events = new Recorder()
  readonly loads = new HeldLoads()
  readonly invalidations: RedisInvalidations
  readonly answers: Answers
  readonly store: Tiers

  constructor(url: string, prefix: string) {
    const { clock, events } = this
    this.invalidations = new RedisInvalidations({ url, prefix }, { clock, random, events })
    const { invalidations } = this
    const memory = new MemoryStore({ maxBytes: 1024 * 1024 }, { invalidations })
    const shared = new RedisStore({ url, prefix }, { clock, random, invalidations, events })
    this.store = new Tiers({ memory, redis: shared, clock })
    this.answers = new Answers({}, { store: this.store, invalidations, clock, events })
  }

  async load(key: string, answer: ReturnType<typeof answerOf>) {
    const asked = ask(this.answers, key, this.loads.load)
    const load = await this.loads.nth(this.loads.all.length)
    load.give(answer)
    const served = await asked
    await this.settled()
    return served
  }

  /** Redis answers in order. So the reply to one more command shows that Redis has performed all earlier commands. */
  async settled(): Promise<void> {
    await this.store.get(keyOf('nobody'))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.answers[Symbol.asyncDispose]()
    await this.store[Symbol.asyncDispose]()
    await this.invalidations[Symbol.asyncDispose]()
  }
}

/**
 * Resolves when the cache is connected and follows the invalidations of other daemons. Only then may it use their
 * answers.
 */
async function daemon(url: string, prefix: string): Promise<Daemon> {
  const made = new Daemon(url, prefix)
  await Promise.all([made.events.next('redisUp', true), made.events.next('invalidationsFollowed', true)])
  return made
}

async function disposeAll(daemons: readonly AsyncDisposable[]): Promise<void> {
  await Promise.all(daemons.map((daemon) => daemon[Symbol.asyncDispose]()))
}

function apart(): [string, string] {
  return [redis.url, redis.newPrefix()]
}

async function two() {
  const where = apart()
  const [one, other] = await Promise.all([daemon(...where), daemon(...where)])
  return { where, one, other, [Symbol.asyncDispose]: () => disposeAll([one, other]) }
}

describe('two daemons with one Redis', () => {
  test('serve what is stale in Redis while one of them refreshes it', async () => {
    await using both = await two()
    const { one, other } = both
    await one.load(alice, answerOf('old'))
    other.clock.advance(minutes.freshMs)
    const served = await ask(other.answers, alice, other.loads.load)
    expect(served).toMatchObject({ how: 'stale', answer: answerOf('old') })
    ;(await other.loads.nth(0)).give(answerOf('new'))
    await setImmediate()
    expect(peek(other.answers, alice)).toMatchObject({ how: 'hit', answer: answerOf('new') })
  })

  test('refresh from what the other has refreshed already', async () => {
    await using both = await two()
    const { one, other } = both
    await one.load(alice, answerOf('old'))
    await ask(other.answers, alice, other.loads.load)
    for (const { clock } of [one, other]) clock.advance(minutes.freshMs)
    await ask(one.answers, alice, one.loads.load)
    ;(await one.loads.nth(1)).give(answerOf('new'))
    await setImmediate()
    await one.settled()
    expect(await ask(other.answers, alice, other.loads.load)).toMatchObject({ how: 'stale' })
    await other.settled()
    expect(peek(other.answers, alice)).toMatchObject({ how: 'hit', answer: answerOf('new') })
    expect(other.loads.all).toHaveLength(0)
  })
})

describe('an invalidation', () => {
  test('on one daemon drops its keys on all', async () => {
    await using both = await two()
    const { one, other } = both
    const page = cacheKey(trust, list, { page_size: '10' })
    for (const key of [alice, page, keyOf('bob')]) {
      await one.load(key, answerOf('before'))
      await ask(other.answers, key, other.loads.load)
    }
    const heard = other.events.next('invalidated', 'elsewhere')
    one.invalidations.invalidate([aliceTopic, topic(list)])
    expect(peek(one.answers, alice)).toBeUndefined()
    await heard
    expect(peek(other.answers, alice)).toBeUndefined()
    expect(peek(other.answers, page)).toBeUndefined()
    expect(peek(other.answers, keyOf('bob'))).toMatchObject({ how: 'hit' })
    expect(await other.load(alice, answerOf('after'))).toMatchObject({ how: 'miss', stored: true })
  })

  test('withholds absences on all daemons for 10 s', async () => {
    await using both = await two()
    const { one, other } = both
    const heard = other.events.next('invalidated', 'elsewhere')
    one.invalidations.invalidate([aliceTopic])
    await heard
    for (const { answers, loads } of [one, other]) {
      const asked = ask(answers, alice, loads.load)
      ;(await loads.nth(0)).give(absenceOf('none'))
      expect(await asked).toMatchObject({ stored: false })
    }
  })

  test('is known to a daemon that starts after it', async () => {
    await using both = await two()
    const { one, other } = both
    await one.load(alice, answerOf('before'))
    await one.load(keyOf('bob'), answerOf('bob'))
    const heard = other.events.next('invalidated', 'elsewhere')
    one.invalidations.invalidate([aliceTopic])
    await heard
    await using late = await daemon(...both.where)
    expect(await ask(late.answers, keyOf('bob'), late.loads.load)).toMatchObject({ how: 'hit' })
    void ask(late.answers, alice, late.loads.load)
    await late.loads.nth(0)
  })

  test('lets its daemon use again what others load after it', async () => {
    await using both = await two()
    const { one, other } = both
    const heard = other.events.next('invalidated', 'elsewhere')
    one.invalidations.invalidate([aliceTopic])
    await heard
    await other.load(alice, answerOf('after'))
    while (one.invalidations.localPointOf(alice, other.invalidations.current.position) === undefined)
      await setImmediate()
    expect(await ask(one.answers, alice, one.loads.load)).toMatchObject({ how: 'hit' })
  })
})

describe('a connection that was lost', () => {
  const bob = keyOf('bob')

  async function pair(server: RedisServer) {
    const [one, other] = await Promise.all([daemon(server.url, 'x'), daemon(server.url, 'x')])
    for (const key of [alice, bob]) {
      await one.load(key, answerOf('before'))
      await ask(other.answers, key, other.loads.load)
    }
    return { one, other, [Symbol.asyncDispose]: () => disposeAll([one, other]) }
  }

  test('to a Redis that ends loses no invalidation of the time without it', async () => {
    await using server = await startRedisServer()
    await using daemons = await pair(server)
    const { one, other } = daemons
    const cutOff = [one, other].map(({ events }) => events.next('invalidationsFollowed', false))
    await server.stop()
    await Promise.all(cutOff)
    one.invalidations.invalidate([aliceTopic])
    expect(peek(one.answers, alice)).toBeUndefined()
    expect(peek(other.answers, alice)).toMatchObject({ how: 'hit' })
    const heard = other.events.next('invalidated', 'elsewhere')
    await server.start()
    await heard
    expect(peek(other.answers, alice)).toBeUndefined()
    expect(peek(other.answers, bob)).toMatchObject({ how: 'hit' })
  })

  test('makes one invalidation of everything of more than can be kept for later', async () => {
    await using server = await startRedisServer()
    await using daemons = await pair(server)
    const { one, other } = daemons
    const cutOff = [one, other].map(({ events }) => events.next('invalidationsFollowed', false))
    await server.stop()
    await Promise.all(cutOff)
    for (let invalidation = 0; invalidation <= 1_001; invalidation++)
      one.invalidations.invalidate([topic(byName, { name: `n-${invalidation}` })])
    const heard = other.events.next('invalidated', 'elsewhere', 1)
    await server.start()
    await heard
    expect(peek(other.answers, bob)).toBeUndefined()
    expect(peek(one.answers, bob)).toMatchObject({ how: 'hit' })
  })

  test('of one daemon loses no invalidation that the other made meanwhile', async () => {
    await using server = await startRedisServer()
    await using daemons = await pair(server)
    const { one, other } = daemons
    const client = new Redis(server.url)
    const cutOff = other.events.next('invalidationsFollowed', false)
    const heard = other.events.next('invalidated', 'elsewhere')
    await client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
    await cutOff
    one.invalidations.invalidate([aliceTopic])
    await heard
    client.disconnect()
    expect(peek(other.answers, alice)).toBeUndefined()
    expect(peek(other.answers, bob)).toMatchObject({ how: 'hit' })
  })
})

describe('a stream of invalidations', () => {
  test('is read on after an entry that no daemon wrote', async () => {
    const [url, prefix] = apart()
    await using one = await daemon(url, prefix)
    const stream = `bft:${prefix}:raises`
    await redis.client.xadd(stream, '*', 'topics', 'no list', 'origin', 'x')
    await redis.client.xadd(stream, '*', 'something', 'else')
    await redis.client.xadd(stream, '*', 'topics', '[1]')
    const heard = one.events.next('invalidated', 'elsewhere', 1)
    await redis.client.xadd(stream, '*', 'origin', 'x', 'upTo', '1', 'topics', JSON.stringify([aliceTopic]))
    await heard
    expect(one.events.count('invalidated')).toBe(1)
  })

  test('that was trimmed beyond what a daemon had read counts as an invalidation of everything', async () => {
    const [url, prefix] = apart()
    const stream = `bft:${prefix}:raises`
    await using one = await daemon(url, prefix)
    await one.load(alice, answerOf('before'))
    const filler = redis.client.pipeline()
    for (let invalidation = 0; invalidation < 10_000; invalidation++) {
      filler.xadd(stream, '*', 'origin', 'x', 'upTo', '1', 'topics', '["9:something"]')
    }
    await filler.exec()
    await using late = await daemon(url, prefix)
    void ask(late.answers, alice, late.loads.load)
    await late.loads.nth(0)
  })

  test('that was replaced by another is read from its beginning, and counts as an invalidation of everything', async () => {
    await using server = await startRedisServer()
    await using other = await daemon(server.url, 'x')
    const client = new Redis(server.url)
    const invalidation = ['origin', 'x', 'upTo', '1', 'topics', JSON.stringify([aliceTopic])]
    const first = other.events.next('invalidated', 'elsewhere')
    await client.xadd('bft:x:raises', '99999999999999-0', ...invalidation)
    await first
    await other.load(alice, answerOf('alice'))
    await other.load(keyOf('bob'), answerOf('bob'))
    await client.del('bft:x:raises')
    const second = other.events.next('invalidated', 'elsewhere')
    const cutOff = other.events.next('invalidationsFollowed', false)
    await client.xadd('bft:x:raises', '1-0', ...invalidation)
    await client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
    client.disconnect()
    await cutOff
    await second
    expect(peek(other.answers, alice)).toBeUndefined()
    expect(peek(other.answers, keyOf('bob'))).toBeUndefined()
  })
})
