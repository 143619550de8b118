import { LocalGenerations } from '../../src/cache/generations.local.ts'
import type { Generations } from '../../src/cache/generations.ts'
import { MemoryStore } from '../../src/cache/store.memory.ts'
import { RedisStore, type RedisStoreOptions } from '../../src/cache/store.redis.ts'
import type { Clock } from '../../src/lib/clock.ts'
import { seededRandom } from '../../src/lib/random.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { Recorder } from './recorder.ts'

export const random = seededRandom(7)

export interface OpenRedis extends AsyncDisposable {
  readonly store: RedisStore
  readonly events: Recorder
  readonly generations: Generations
}

/** A store that is told by the clock given what time it is. It need not be connected yet. */
export function openRedisStore(
  options: RedisStoreOptions,
  clock: Clock,
  generations: Generations = new LocalGenerations(clock),
): OpenRedis {
  const events = new Recorder()
  const store = new RedisStore(options, { clock, random, generations, events })
  return { store, events, generations, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() }
}

/** The same once Redis can be asked. */
export async function connectRedisStore(
  options: RedisStoreOptions,
  clock: Clock = new ManualClock(),
  generations?: Generations,
): Promise<OpenRedis> {
  const open = openRedisStore(options, clock, generations)
  await open.events.next('redisUp', true)
  return open
}

export function openMemoryStore(clock: Clock, maxBytes = 64 * 1024 * 1024) {
  const generations = new LocalGenerations(clock)
  return { store: new MemoryStore({ maxBytes }, { generations }), generations }
}
