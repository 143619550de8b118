import { afterAll } from 'vitest'
import { connectRedisStore } from '../cache/open.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { sharedRedis } from '../support/redis.ts'
import { type StoreUnderTest, storeContract } from './store.contract.ts'

const redis = await sharedRedis()
afterAll(() => redis[Symbol.asyncDispose]())

for (const [name, secret] of [['Redis'], ['Redis, sealed with a secret,', 'a secret']] as const) {
  storeContract(name, async (): Promise<StoreUnderTest> => {
    const clock = new ManualClock()
    const prefix = redis.newPrefix()
    const options = { url: redis.url, prefix, ...(secret === undefined ? {} : { secret }) }
    const { store, invalidations } = await connectRedisStore(options, clock)
    return { store, clock, invalidations, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() }
  })
}
