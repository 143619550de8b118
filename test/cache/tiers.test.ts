import { describe, expect, test } from 'vitest'
import { InvalidationLog } from '../../src/core/cache/invalidation-log.ts'
import { MemoryStore } from '../../src/core/cache/store.memory.ts'
import type { Remembered, SyncStore } from '../../src/core/cache/store.ts'
import { Tiers } from '../../src/core/cache/tiers.ts'
import { ago, ManualClock } from '../support/manual-clock.ts'
import { answerOf, keyOf, minutes, rememberedOf } from './samples.ts'

const alice = keyOf('alice')

function open() {
  const clock = new ManualClock()
  const invalidations = new InvalidationLog(clock)
  const memory = new MemoryStore({ maxBytes: 1024 * 1024 }, { invalidations })
  const far = new MemoryStore({ maxBytes: 1024 * 1024 }, { invalidations })
  let asked = 0
  const redis: SyncStore = {
    peeksAll: true,
    peek: (key) => far.peek(key),
    get(key) {
      asked++
      return far.get(key)
    },
    set: (key, remembered) => far.set(key, remembered),
    delete: (key) => far.delete(key),
    [Symbol.asyncDispose]: () => far[Symbol.asyncDispose](),
  }
  const tiers = new Tiers({ memory, redis, clock })
  return { clock, memory, redis, tiers, asked: () => asked }
}

function aged(clock: ManualClock, text: string, ageMs: number): Remembered {
  return rememberedOf(answerOf(text), { agreedAt: ago(clock, ageMs) })
}

describe('memory before Redis', () => {
  test('asks memory alone while that is fresh', async () => {
    const { clock, memory, redis, tiers, asked } = open()
    await memory.set(alice, aged(clock, 'near', 20_000))
    await redis.set(alice, aged(clock, 'far', 10_000))
    expect((await tiers.get(alice))?.answer).toEqual(answerOf('near'))
    expect(asked()).toBe(0)
  })

  test('keeps in memory what it found in Redis, with its age', async () => {
    const { clock, redis, tiers, asked } = open()
    await redis.set(alice, aged(clock, 'far', 10_000))
    await tiers.get(alice)
    expect(tiers.peek(alice)).toMatchObject({ answer: answerOf('far'), agreedAt: ago(clock, 10_000) })
    await tiers.get(alice)
    expect(asked()).toBe(1)
  })

  test('takes from Redis what is younger than what is stale in memory, and nothing older', async () => {
    const { clock, memory, redis, tiers } = open()
    await memory.set(alice, aged(clock, 'near', minutes.freshMs))
    await redis.set(alice, aged(clock, 'older', minutes.freshMs + 1))
    expect((await tiers.get(alice))?.answer).toEqual(answerOf('near'))
    await redis.set(alice, aged(clock, 'younger', 5))
    expect((await tiers.get(alice))?.answer).toEqual(answerOf('younger'))
    expect(tiers.peek(alice)?.answer).toEqual(answerOf('younger'))
  })

  test('keeps to itself what may not be shared, and ends what was shared before it', async () => {
    const { clock, redis, tiers } = open()
    await tiers.set(alice, aged(clock, 'shared', 10))
    await tiers.set(alice, { ...aged(clock, 'own', 0), sharedInRedis: false })
    expect(tiers.peek(alice)?.answer).toEqual(answerOf('own'))
    expect(await redis.get(alice)).toBeUndefined()
  })

  test('gives what memory has where both are as old', async () => {
    const { clock, memory, redis, tiers } = open()
    await memory.set(alice, aged(clock, 'near', minutes.freshMs))
    await redis.set(alice, aged(clock, 'far', minutes.freshMs))
    expect((await tiers.get(alice))?.answer).toEqual(answerOf('near'))
    expect(memory.peek(alice)?.answer).toEqual(answerOf('near'))
  })
})
