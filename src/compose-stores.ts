import type { CacheEvents } from './cache/events.ts'
import { LocalInvalidations } from './cache/invalidations.local.ts'
import type { Invalidations } from './cache/invalidations.ts'
import { MemoryStore } from './cache/store.memory.ts'
import type { SyncStore } from './cache/store.ts'
import { Tiers } from './cache/tiers.ts'
import type { Config } from './config/resolve.ts'
import type { Clock } from './lib/clock.ts'
import type { Random } from './lib/random.ts'

/**
 * The owner must dispose of `store` first, and then of `invalidations`. `store` also disposes of
 * `memory`.
 */
export interface Stores {
  readonly invalidations: Invalidations
  readonly memory: MemoryStore
  readonly store: SyncStore
}

export interface StoresDeps {
  readonly clock: Clock
  readonly random: Random
  readonly events: CacheEvents
  readonly redisPrefix: string | undefined
}

export async function openStores(cache: Config['cache'], deps: StoresDeps): Promise<Stores> {
  const { clock, random, events, redisPrefix } = deps
  const { maxBytes, redis } = cache
  if (redis.url === undefined) {
    const invalidations = new LocalInvalidations(clock)
    const memory = new MemoryStore({ maxBytes }, { invalidations })
    return { invalidations, memory, store: memory }
  }
  const [{ RedisInvalidations }, { RedisStore }] = await Promise.all([
    import('./cache/invalidations.redis.ts'),
    import('./cache/store.redis.ts'),
  ])
  const shared = { url: redis.url, ...(redisPrefix !== undefined && { prefix: redisPrefix }) }
  await using opened = new AsyncDisposableStack()
  const invalidations = opened.use(new RedisInvalidations(shared, { clock, random, events }))
  const memory = new MemoryStore({ maxBytes }, { invalidations })
  const options = { ...shared, maxBytes, ...(redis.secret !== undefined && { secret: redis.secret }) }
  const far = new RedisStore(options, { clock, random, invalidations, events })
  opened.move()
  return { invalidations, memory, store: new Tiers({ memory, clock, redis: far }) }
}
