import { afterAll } from 'vitest'
import { MemoryStore } from '../../src/core/cache/store.memory.ts'
import { Tiers } from '../../src/core/cache/tiers.ts'
import { connectRedisStore } from '../cache/open.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { sharedRedis } from '../support/redis.ts'
import { type StoreUnderTest, storeContract } from './store.contract.ts'

const redis = await sharedRedis()
afterAll(() => redis[Symbol.asyncDispose]())

async function open(memoryBytes: number): Promise<StoreUnderTest> {
  const clock = new ManualClock()
  const options = { url: redis.url, prefix: redis.newPrefix() }
  const { store: far, invalidations } = await connectRedisStore(options, clock)
  const memory = new MemoryStore({ maxBytes: memoryBytes }, { invalidations })
  const store = new Tiers({ memory, redis: far, clock })
  return { store, clock, invalidations, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() }
}

storeContract('memory before Redis', () => open(64 * 1024 * 1024))
storeContract('memory too small for anything before Redis', () => open(1))
