import type { Clock } from '../lib/clock.ts'
import { digest } from '../lib/digest.ts'
import type { Random } from '../lib/random.ts'
import { type Enclosed, enclose, enclosureBytes, open } from './envelope.ts'
import type { CacheEvents, RedisCommand, RefusalReason } from './events.ts'
import { freshness, staleMs } from './freshness.ts'
import type { Generations } from './generations.ts'
import { readOf } from './key.ts'
import { type Attempt, RedisBreaker } from './redis-breaker.ts'
import type { RedisClient } from './redis-client.ts'
import { parseRedisUrl } from './redis-url.ts'
import type { Remembered, Store } from './store.ts'

export interface RedisStoreOptions {
  /** As `parseRedisUrl` takes it. */
  readonly url: string
  /** Set apart in one Redis what must not be shared: keys begin with `bft:` and this. */
  readonly prefix?: string
  /** Shared by all who may write here: values are sealed with it, and others are not used. */
  readonly secret?: string
  /** Larger answers are not kept in Redis, nor used from there; 8 MiB at most. */
  readonly maxBytes?: number
}

export interface RedisStoreDeps {
  readonly clock: Clock
  readonly random: Random
  readonly generations: Generations
  readonly events: CacheEvents
}

/** Larger answers stay in memory alone. */
const mostBodyBytes = 8 * 1024 * 1024
/** How far the clocks of two daemons may differ before one's answers are not used by the other. */
const futureMs = 5_000

/**
 * Answers that daemons with the same trust digest share. Redis is trusted for nothing: what it gives back is used only
 * if all of it holds (quorum.md#values-from-redis), and when it fails or is slow there is nothing in it.
 */
export class RedisStore implements Store {
  readonly #breaker: RedisBreaker
  readonly #clock: Clock
  readonly #generations: Generations
  readonly #events: CacheEvents
  readonly #prefix: string
  readonly #secret: string | undefined
  readonly #maxBytes: number

  /** @throws TypeError for a URL that is none. */
  constructor(
    { url, prefix = '', secret, maxBytes = mostBodyBytes }: RedisStoreOptions,
    deps: RedisStoreDeps,
  ) {
    const { clock, random, generations, events } = deps
    this.#clock = clock
    this.#generations = generations
    this.#events = events
    this.#prefix = `bft:${prefix}`
    this.#secret = secret
    this.#maxBytes = Math.min(maxBytes, mostBodyBytes)
    this.#breaker = new RedisBreaker(parseRedisUrl(url), {
      clock,
      random,
      largestValue: this.#largestValue,
      up: (...told) => events.redisUp(...told),
    })
  }

  async get(key: string): Promise<Remembered | undefined> {
    const attempt = await this.#breaker.attempt((client) => this.#getWithTimeToLive(client, this.#keyIn(key)))
    if (attempt.kind !== 'reply') {
      this.#failed('get', attempt)
      return undefined
    }
    const remembered = this.#take(key, attempt.value)
    const state =
      remembered === undefined ? 'ended' : freshness(remembered, this.#clock.now(), this.#clock.wall()).state
    this.#events.cacheLookup('redis', state === 'fresh' ? 'hit' : state === 'stale' ? 'stale' : 'miss')
    return state === 'ended' ? undefined : remembered
  }

  async set(key: string, remembered: Remembered): Promise<void> {
    const { answer, lifetime, agreedAt, generation } = remembered
    if (answer.body.length > this.#maxBytes) return
    const wall = this.#clock.wall()
    const ageMs = Math.max(0, this.#clock.now() - agreedAt)
    const endsAtAge = answer.endsAt === undefined ? Number.POSITIVE_INFINITY : ageMs + answer.endsAt - wall
    const lastsMs = Math.min(staleMs(answer, lifetime), endsAtAge)
    // Rounded down, and counted again from the age: what Redis says is left never makes it younger.
    const timeToLive = Math.floor(lastsMs - ageMs)
    if (timeToLive < 1) return
    const value = enclose(
      { key, answer, lifetime, agreedAtWall: wall - ageMs, lastsMs, position: generation.position },
      this.#secret,
    )
    this.#failed(
      'set',
      await this.#breaker.attempt((client) => client.set(this.#keyIn(key), value, 'PX', timeToLive)),
    )
  }

  async delete(key: string): Promise<void> {
    this.#failed('delete', await this.#breaker.attempt((client) => client.unlink(this.#keyIn(key))))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#breaker[Symbol.asyncDispose]()
  }

  /** UTF-16, because in UTF-8 different keys with lone surrogates are the same. */
  #keyIn(key: string): string {
    return `${this.#prefix}:${readOf(key)}:${digest(Buffer.from(key, 'utf16le'))}`
  }

  #take(key: string, { value, timeToLive }: Found): Remembered | undefined {
    if (timeToLive === -2) return undefined
    const opened = open(value, key, this.#secret)
    if (opened.kind === 'refused') return this.#refuse(opened.reason)
    const { answer, lifetime, position } = opened.enclosed
    const ageMs = this.#ageOf(opened.enclosed, timeToLive)
    if (ageMs === undefined) return this.#refuse('time')
    const generation = this.#generations.adopt(key, position)
    if (generation === undefined) return undefined
    return { answer, lifetime, agreedAt: this.#clock.now() - ageMs, generation, sharedInRedis: true }
  }

  /** The older of what the clocks say and what the time to live says, which knows no clock. */
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
   * The time to live is read first: if the value is replaced in between, the older of the two times is taken. A value that
   * is too large comes cut, and does not open.
   */
  async #getWithTimeToLive(client: RedisClient, key: string): Promise<Found> {
    const range = client
      .pipeline()
      .pttl(key)
      .getrangeBuffer(key, 0, this.#largestValue - 1)
    const [timeToLive, value] = (await range.exec()) ?? []
    for (const result of [timeToLive, value])
      if (result === undefined || result[0] !== null) throw result?.[0]
    return found(timeToLive?.[1], value?.[1])
  }

  get #largestValue(): number {
    return this.#maxBytes + enclosureBytes
  }

  #failed(operation: RedisCommand, attempt: Attempt<unknown>): void {
    if (attempt.kind === 'reply') return
    const otherType = attempt.kind === 'refused' && attempt.message.startsWith('WRONGTYPE')
    if (otherType) this.#events.redisRefused('type')
    else if (attempt.kind !== 'unsent') this.#events.redisFailed(operation)
    if (operation === 'get') this.#events.cacheLookup('redis', otherType ? 'miss' : 'error')
  }
}

interface Found {
  readonly value: Buffer
  readonly timeToLive: number
}

/** @throws TypeError for replies of other types. */
function found(timeToLive: unknown, value: unknown): Found {
  if (typeof timeToLive === 'number' && Buffer.isBuffer(value)) return { timeToLive, value }
  throw new TypeError('Redis answered with another type')
}
