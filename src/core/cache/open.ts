import type { Config } from '../../base/config/resolve.ts'
import type { Base } from '../../base/telemetry/open.ts'
import type { CacheEvents } from './events.ts'
import { InvalidationLog } from './invalidation-log.ts'
import { MemoryStore } from './store.memory.ts'
import type { SyncStore } from './store.ts'
import { Tiers } from './tiers.ts'

export interface StoresDeps extends Pick<Base, 'clock' | 'random' | 'metrics'> {
  readonly events: CacheEvents
  /** Daemons with different prefixes share nothing in one Redis. */
  readonly redisPrefix?: string | undefined
}

/** The owner must dispose of `store` first, and then of `invalidations`. */
export async function openStores(options: Config['cache'], deps: StoresDeps) {
  const { maxBytes, redis } = options
  const far =
    redis.url === undefined ? undefined : await openRedis({ ...redis, url: redis.url, maxBytes }, deps)
  const invalidations: InvalidationLog = far?.invalidations ?? new InvalidationLog(deps.clock)
  const memory = new MemoryStore({ maxBytes }, { invalidations })
  deps.metrics.cache_bytes.with({ partition: 'values' }).readFrom(() => memory.bytes.values)
  deps.metrics.cache_bytes.with({ partition: 'absences' }).readFrom(() => memory.bytes.absences)
  const store: SyncStore =
    far === undefined ? memory : new Tiers({ memory, clock: deps.clock, redis: far.store })
  return { invalidations, memory, store }
}

async function openRedis(
  options: Config['cache']['redis'] & { readonly url: string; readonly maxBytes: number },
  { redisPrefix, ...deps }: StoresDeps,
) {
  const [{ RedisInvalidations }, { RedisStore }] = await Promise.all([
    import('./invalidations.redis.ts'),
    import('./store.redis.ts'),
  ])
  const shared = { ...options, prefix: redisPrefix }
  const invalidations = new RedisInvalidations(shared, deps)
  return { invalidations, store: new RedisStore(shared, { ...deps, invalidations }) }
}
