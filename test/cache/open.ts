import type { Clock } from '../../src/base/lib/clock.ts'
import { seededRandom } from '../../src/base/lib/random.ts'
import { InvalidationLog } from '../../src/core/cache/invalidation-log.ts'
import { MemoryStore } from '../../src/core/cache/store.memory.ts'
import { RedisStore, type RedisStoreOptions } from '../../src/core/cache/store.redis.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { Recorder } from './recorder.ts'

export const random = seededRandom(7)

export interface OpenRedis extends AsyncDisposable {
  readonly store: RedisStore
  readonly events: Recorder
  readonly invalidations: InvalidationLog
}

export function openRedisStore(
  options: RedisStoreOptions,
  clock: Clock,
  invalidations: InvalidationLog = new InvalidationLog(clock),
): OpenRedis {
  const events = new Recorder()
  const store = new RedisStore(options, { clock, random, invalidations, events })
  return { store, events, invalidations, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() }
}

export async function connectRedisStore(
  options: RedisStoreOptions,
  clock: Clock = new ManualClock(),
  invalidations?: InvalidationLog,
): Promise<OpenRedis> {
  const open = openRedisStore(options, clock, invalidations)
  await open.events.next('redisUp', true)
  return open
}

export function openMemoryStore(clock: Clock, maxBytes = 64 * 1024 * 1024) {
  const invalidations = new InvalidationLog(clock)
  return { store: new MemoryStore({ maxBytes }, { invalidations }), invalidations }
}
