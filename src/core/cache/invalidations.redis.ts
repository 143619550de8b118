import type { Clock } from '../../base/lib/clock.ts'
import type { Random } from '../../base/lib/random.ts'
import { parseRedisUrl } from '../../base/lib/redis-url.ts'
import type { CacheEvents } from './events.ts'
import { everything, InvalidationLog } from './invalidation-log.ts'
import { type Invalidation, InvalidationStream } from './invalidation-stream.ts'
import type { InvalidationPoint } from './invalidations.ts'
import { refusalIn } from './redis-breaker.ts'

export interface RedisInvalidationsOptions {
  readonly url: string
  /**
   * A part of the name of the Redis stream of invalidations. It must equal the prefix of
   * `RedisStore`. Otherwise daemons could share answers but not their invalidations, and serve
   * outdated answers.
   */
  readonly prefix?: string | undefined
}

export interface RedisInvalidationsDeps {
  readonly clock: Clock
  readonly random: Random
  readonly events: CacheEvents
}

const maxUnpublished = 1_000
/**
 * The maximum length of the unpublished topics, in characters. A character takes at most six bytes
 * in JSON, and a reader rejects a stream entry above 320 KiB.
 */
const maxUnpublishedLength = 50_000
const republishMs = 1_000

/**
 * Shares invalidations among all daemons of one Redis. A daemon that cannot read the stream may
 * miss an invalidation, so it then uses no answers of other daemons.
 */
export class RedisInvalidations extends InvalidationLog {
  readonly #stream: InvalidationStream
  readonly #clock: Clock
  readonly #events: CacheEvents
  readonly #origin = crypto.randomUUID()
  #unpublished = new Set<string>()
  #upTo = 0
  #publishing = false
  #follows = false
  #cancelRetry: (() => void) | undefined
  #closed = false

  constructor({ url, prefix = '' }: RedisInvalidationsOptions, deps: RedisInvalidationsDeps) {
    const { clock, random, events } = deps
    super(clock)
    this.#clock = clock
    this.#events = events
    this.#stream = new InvalidationStream(
      `bft:${prefix}:raises`,
      parseRedisUrl(url),
      {
        clock,
        random,
        heard: (invalidation, position) => this.#hear(invalidation, position),
        missed: (position) => this.invalidateFromStream([everything], position),
        follows: (follows, refusal) => {
          this.#follows = follows
          if (!this.#closed) events.invalidationsFollowed(follows, refusal)
        },
      },
      () => void this.#publish(),
    )
  }

  override localPointOf(key: string, position: string): InvalidationPoint | undefined {
    return this.#follows ? super.localPointOf(key, position) : undefined
  }

  override invalidate(topics: readonly string[]): void {
    this.#upTo = this.invalidateHere(topics)
    for (const topic of topics) this.#unpublished.add(topic)
    this.#bound()
    this.#events.invalidated('here', topics.length)
    void this.#publish()
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    this.#cancelRetry?.()
    await this.#stream[Symbol.asyncDispose]()
  }

  #hear({ topics, origin, upTo }: Invalidation, position: string): void {
    if (origin === this.#origin) {
      this.recordOwnPosition(topics, upTo, position)
      return
    }
    this.invalidateFromStream(topics, position)
    this.#events.invalidated('elsewhere', topics.length)
  }

  async #publish(): Promise<void> {
    if (this.#publishing || this.#closed || this.#unpublished.size === 0) return
    this.#publishing = true
    const topics = [...this.#unpublished]
    this.#unpublished.clear()
    const failed = await this.#stream.add({ topics, origin: this.#origin, upTo: this.#upTo }).then(
      () => undefined,
      (error: unknown) => ({ refusal: refusalIn(error) }),
    )
    this.#publishing = false
    if (failed === undefined) {
      this.#events.redisSucceeded('invalidate')
      return this.#publish()
    }
    this.#events.redisFailed('invalidate', failed.refusal)
    for (const topic of topics) this.#unpublished.add(topic)
    this.#bound()
    this.#publishLater()
  }

  #publishLater(): void {
    this.#cancelRetry?.()
    if (!this.#closed) this.#cancelRetry = this.#clock.after(republishMs, () => void this.#publish())
  }

  #bound(): void {
    let length = 0
    for (const topic of this.#unpublished) length += topic.length
    const isTooMuch = this.#unpublished.size > maxUnpublished || length > maxUnpublishedLength
    if (isTooMuch || this.#unpublished.has(everything)) this.#unpublished = new Set([everything])
  }
}
