import { ageMs, type Clock, isClockStepped, momentBefore, momentOf } from '../../base/lib/clock.ts'
import { digest } from '../../base/lib/digest.ts'
import type { Random } from '../../base/lib/random.ts'
import { parseRedisUrl } from '../../base/lib/redis-url.ts'
import { freshness, staleMs } from './answer.ts'
import { type Enclosed, enclose, enclosureBytes, open } from './envelope.ts'
import type { CacheEvents, RedisCommand, RefusalReason } from './events.ts'
import type { InvalidationLog } from './invalidation-log.ts'
import { readOf } from './key.ts'
import { type Attempt, RedisBreaker } from './redis-breaker.ts'
import type { RedisClient } from './redis-client.ts'
import type { Remembered, Store } from './store.ts'

export interface RedisStoreOptions {
  readonly url: string
  readonly prefix?: string | undefined
  /**
   * Seals the stored values. A daemon ignores values with another seal, so daemons that share
   * answers need the same secret. Without a secret, the seal detects only accidental damage.
   */
  readonly secret?: string | undefined
  /** The maximum size of a stored body; 8 MiB by default and at most. */
  readonly maxBytes?: number
}

export interface RedisStoreDeps {
  readonly clock: Clock
  readonly random: Random
  readonly invalidations: InvalidationLog
  readonly events: CacheEvents
}

const mostBodyBytes = 8 * 1024 * 1024
/**
 * The time by which the timestamp of an answer may be in the future, because the clocks of daemons
 * differ.
 */
const futureMs = 5_000

/**
 * Shares answers among daemons. Redis is not trusted: a daemon uses a value only if the value
 * passes every check (quorum.md#values-from-redis). If Redis fails or is slow, every lookup is a
 * miss.
 */
export class RedisStore implements Store {
  readonly #breaker: RedisBreaker
  readonly #clock: Clock
  readonly #invalidations: InvalidationLog
  readonly #events: CacheEvents
  readonly #prefix: string
  readonly #secret: string | undefined
  readonly #maxBytes: number

  constructor(
    { url, prefix = '', secret, maxBytes = mostBodyBytes }: RedisStoreOptions,
    deps: RedisStoreDeps,
  ) {
    const { clock, random, invalidations, events } = deps
    this.#clock = clock
    this.#invalidations = invalidations
    this.#events = events
    this.#prefix = `bft:${prefix}`
    this.#secret = secret
    this.#maxBytes = Math.min(maxBytes, mostBodyBytes)
    this.#breaker = new RedisBreaker(parseRedisUrl(url), {
      clock,
      random,
      up: (...told) => events.redisUp(...told),
    })
  }

  async get(key: string): Promise<Remembered | undefined> {
    const attempt = await this.#breaker.attempt((client) => this.#getWithTimeToLive(client, this.#keyIn(key)))
    this.#told('get', attempt)
    if (attempt.kind !== 'reply') return undefined
    const remembered = this.#take(key, attempt.value)
    const state = remembered === undefined ? 'ended' : freshness(remembered, momentOf(this.#clock))
    this.#events.cacheLookup('redis', state === 'fresh' ? 'hit' : state === 'stale' ? 'stale' : 'miss')
    return state === 'ended' ? undefined : remembered
  }

  async set(key: string, remembered: Remembered): Promise<void> {
    const { answer, lifetime, agreedAt, point } = remembered
    if (answer.body.length > this.#maxBytes) return
    const at = momentOf(this.#clock)
    if (isClockStepped(agreedAt, at)) return
    const age = ageMs(agreedAt, at)
    const agreedAtWall = at.wall - age
    const endsAtAge = (answer.endsAt ?? Number.POSITIVE_INFINITY) - agreedAtWall
    const lastsMs = Math.min(staleMs(answer, lifetime), endsAtAge)
    // Readers compute the age from the time to live. Rounding down makes an answer appear slightly
    // older than it is, but never younger.
    const timeToLive = Math.floor(lastsMs - age)
    if (timeToLive < 1) return
    const value = enclose(
      { key, answer, lifetime, agreedAtWall, lastsMs, position: point.position },
      this.#secret,
    )
    this.#told(
      'set',
      await this.#breaker.attempt((client) => client.set(this.#keyIn(key), value, 'PX', timeToLive)),
    )
  }

  async delete(key: string): Promise<void> {
    this.#told('delete', await this.#breaker.attempt((client) => client.unlink(this.#keyIn(key))))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#breaker[Symbol.asyncDispose]()
  }

  /**
   * Returns the key in Redis, which contains a hash of the cache key. The hash is made of UTF-16,
   * because UTF-8 encodes different keys with lone surrogates to the same bytes.
   */
  #keyIn(key: string): string {
    return `${this.#prefix}:${readOf(key)}:${digest(Buffer.from(key, 'utf16le'))}`
  }

  #take(key: string, { value, timeToLive }: StoredValue): Remembered | undefined {
    if (timeToLive === -2) return undefined
    const opened = open(value, key, this.#secret)
    if (opened.kind === 'refused') return this.#refuse(opened.reason)
    const { answer, lifetime, position } = opened.enclosed
    const age = this.#ageOf(opened.enclosed, timeToLive)
    if (age === undefined) return this.#refuse('time')
    const point = this.#invalidations.localPointOf(key, position)
    if (point === undefined) return undefined
    const agreedAt = momentBefore(momentOf(this.#clock), age)
    return { answer, lifetime, agreedAt, point, sharedInRedis: true }
  }

  /**
   * Returns the age of an entry in milliseconds: the larger of its age by the clocks of both daemons
   * and its age by the remaining time to live. Returns undefined if the timestamp is too far in the
   * future, or if the entry never expires.
   */
  #ageOf({ agreedAtWall, lastsMs }: Enclosed, timeToLive: number): number | undefined {
    const byClocks = this.#clock.wall() - agreedAtWall
    if (byClocks < -futureMs || timeToLive < 0) return undefined
    return Math.max(byClocks, lastsMs - timeToLive, 0)
  }

  #refuse(reason: RefusalReason): undefined {
    this.#events.redisRefused(reason)
    return undefined
  }

  /**
   * Reads the time to live, and then the value. If another daemon replaces the entry in between, the
   * new value appears older than it is, never younger. A value that is too large arrives cut off,
   * and `open` rejects it.
   */
  async #getWithTimeToLive(client: RedisClient, key: string): Promise<StoredValue> {
    const range = client
      .pipeline()
      .pttl(key)
      .getrangeBuffer(key, 0, this.#maxBytes + enclosureBytes - 1)
    const [timeToLive, value] = (await range.exec()) ?? []
    for (const result of [timeToLive, value])
      if (result === undefined || result[0] !== null) throw result?.[0]
    return found(timeToLive?.[1], value?.[1])
  }

  #told(operation: RedisCommand, attempt: Attempt<unknown>): void {
    if (attempt.kind === 'reply') return this.#events.redisSucceeded(operation)
    const otherType = attempt.kind === 'refused' && attempt.message.startsWith('WRONGTYPE')
    if (otherType) this.#events.redisRefused('type')
    else if (attempt.kind !== 'unsent')
      this.#events.redisFailed(operation, attempt.kind === 'refused' ? attempt.message : undefined)
    if (operation === 'get') this.#events.cacheLookup('redis', otherType ? 'miss' : 'error')
  }
}

interface StoredValue {
  readonly value: Buffer
  readonly timeToLive: number
}

function found(timeToLive: unknown, value: unknown): StoredValue {
  if (typeof timeToLive === 'number' && Buffer.isBuffer(value)) return { timeToLive, value }
  throw new TypeError('Redis answered with another type')
}
