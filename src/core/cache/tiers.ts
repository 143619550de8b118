import { ageMs, type Clock, momentOf } from '../../base/lib/clock.ts'
import { freshness } from './answer.ts'
import type { IsBehind, Remembered, Store, SyncStore } from './store.ts'

export interface TiersDeps {
  readonly memory: SyncStore
  readonly redis: Store
  readonly clock: Clock
}

/**
 * A store of two tiers, memory and Redis. It asks Redis only if memory has no fresh answer, and
 * returns the younger of the two answers. Disposing a `Tiers` object also disposes both tiers.
 */
export class Tiers implements SyncStore {
  readonly peeksAll = false
  readonly #memory: SyncStore
  readonly #redis: Store
  readonly #clock: Clock

  constructor({ memory, redis, clock }: TiersDeps) {
    this.#memory = memory
    this.#redis = redis
    this.#clock = clock
  }

  peek(key: string): Remembered | undefined {
    return this.#memory.peek(key)
  }

  async get(key: string, isBehind: IsBehind = () => false): Promise<Remembered | undefined> {
    const near = this.#memory.peek(key)
    if (near !== undefined && this.#isFresh(near)) return near
    const far = await this.#redis.get(key)
    const isRefused = far !== undefined && (await isBehind(far.answer))
    const newer = this.#memory.peek(key)
    if (far === undefined || isRefused) return newer
    const at = momentOf(this.#clock)
    if (newer !== undefined && ageMs(newer.agreedAt, at) <= ageMs(far.agreedAt, at)) return newer
    await this.#memory.set(key, far)
    return far
  }

  /**
   * Stores an answer in both tiers. If the answer may not be stored in Redis, the older answer is
   * deleted from Redis instead.
   */
  async set(key: string, remembered: Remembered): Promise<void> {
    const near = this.#memory.set(key, remembered)
    const far = remembered.sharedInRedis ? this.#redis.set(key, remembered) : this.#redis.delete(key)
    await Promise.all([near, far])
  }

  async delete(key: string): Promise<void> {
    await Promise.all([this.#memory.delete(key), this.#redis.delete(key)])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#memory[Symbol.asyncDispose](), this.#redis[Symbol.asyncDispose]()])
  }

  #isFresh(remembered: Remembered): boolean {
    return freshness(remembered, momentOf(this.#clock)) === 'fresh'
  }
}
