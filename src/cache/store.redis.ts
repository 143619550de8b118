import type { Clock } from '../lib/clock.ts'
import { digest } from '../lib/digest.ts'
import type { Random } from '../lib/random.ts'
import { type Enclosed, enclose, enclosureBytes, open } from './envelope.ts'
import type { CacheEvents, RedisCommand, RefusalReason } from './events.ts'
import { freshness, staleMs } from './freshness.ts'
import type { Invalidations } from './invalidations.ts'
import { readOf } from './key.ts'
import { type Attempt, RedisBreaker } from './redis-breaker.ts'
import type { RedisClient } from './redis-client.ts'
import { parseRedisUrl } from './redis-url.ts'
import type { Remembered, Store } from './store.ts'

export interface RedisStoreOptions {
  /** The URL of Redis, in the form that `parseRedisUrl` accepts. */
  readonly url: string
  /**
   * A prefix that separates daemons which use one Redis but must not share data. All keys begin with `bft:` and this
   * prefix.
   */
  readonly prefix?: string
  /**
   * The secret key with which values are sealed. All daemons that share answers in this Redis need the same key,
   * because a daemon ignores values with another seal. Without a key, the seal detects only accidental damage.
   */
  readonly secret?: string
  /** The maximum bytes of a body that is written to Redis or read from it; 8 MiB by default and at most. */
  readonly maxBytes?: number
}

export interface RedisStoreDeps {
  readonly clock: Clock
  readonly random: Random
  readonly invalidations: Invalidations
  readonly events: CacheEvents
}

/** The upper limit of `maxBytes`. Larger answers are stored in memory only. */
const mostBodyBytes = 8 * 1024 * 1024
/**
 * The milliseconds by which the timestamp of an answer may be in the future, because the clocks of daemons
 * differ. The daemon does not use an answer with a later timestamp.
 */
const futureMs = 5_000

/**
 * Shares answers among daemons with the same trust digest. The daemon does not trust Redis: it uses a value only if the
 * value passes every check (quorum.md#values-from-redis). If Redis fails or is slow, every lookup is a miss.
 */
export class RedisStore implements Store {
  readonly #breaker: RedisBreaker
  readonly #clock: Clock
  readonly #invalidations: Invalidations
  readonly #events: CacheEvents
  readonly #prefix: string
  readonly #secret: string | undefined
  readonly #maxBytes: number

  /** @throws TypeError if the URL is invalid. */
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
    const { answer, lifetime, agreedAt, point } = remembered
    if (answer.body.length > this.#maxBytes) return
    const wall = this.#clock.wall()
    const ageMs = Math.max(0, this.#clock.now() - agreedAt)
    const endsAtAge = answer.endsAt === undefined ? Number.POSITIVE_INFINITY : ageMs + answer.endsAt - wall
    const lastsMs = Math.min(staleMs(answer, lifetime), endsAtAge)
    // The time to live is rounded down, because readers compute the age of the answer from it. A smaller
    // number makes the answer appear slightly older, but never younger than it is.
    const timeToLive = Math.floor(lastsMs - ageMs)
    if (timeToLive < 1) return
    const value = enclose(
      { key, answer, lifetime, agreedAtWall: wall - ageMs, lastsMs, position: point.position },
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

  /**
   * Returns the key in Redis. It contains a hash of the UTF-16 key, because UTF-8 encodes different keys with
   * lone surrogates to the same bytes.
   */
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
    const point = this.#invalidations.adopt(key, position)
    if (point === undefined) return undefined
    return { answer, lifetime, agreedAt: this.#clock.now() - ageMs, point, sharedInRedis: true }
  }

  /**
   * Returns the age of an answer in milliseconds. The age is computed in two ways: from the clocks of both daemons, and
   * from the remaining time to live. The larger result counts. Undefined if the timestamp is too far in the future, or
   * if the entry does not expire.
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
   * Reads an entry with its remaining time to live. The time to live is read first. If the entry is replaced
   * between the two commands, the new entry then appears older than it is, and never younger. A value that is
   * too large arrives incomplete, and `open` rejects it.
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

/**
 * Checks the types of the two replies of the pipeline and returns them.
 * @throws TypeError if they are not a number and a `Buffer`.
 */
function found(timeToLive: unknown, value: unknown): Found {
  if (typeof timeToLive === 'number' && Buffer.isBuffer(value)) return { timeToLive, value }
  throw new TypeError('Redis answered with another type')
}
