import { once } from 'node:events'
import { type Clock, systemClock } from '../../base/lib/clock.ts'
import { parseJsonText } from '../../base/lib/parse-json-text.ts'
import { passing } from '../../base/lib/passing.ts'
import type { Random } from '../../base/lib/random.ts'
import { parseRedisUrl } from '../../base/lib/redis-url.ts'
import type { CacheEvents } from './events.ts'
import {
  beforeFirstEntry,
  everything,
  InvalidationLog,
  type InvalidationPoint,
  isLaterId,
} from './invalidation-log.ts'
import { refusalIn } from './redis-breaker.ts'
import { openRedis, type RedisClient } from './redis-client.ts'

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
const keptInvalidations = 10_000
const invalidationsAtOnce = 100
const blockMs = 5_000
const firstRetryMs = 100
const maxRetryMs = 5_000

/**
 * Shares invalidations among all daemons of one Redis, through a stream. A daemon that cannot read
 * the stream may miss an invalidation, so it then uses no answers of other daemons. After a lost
 * connection, reading continues after the last entry that was read.
 */
export class RedisInvalidations extends InvalidationLog {
  readonly #key: string
  readonly #deps: RedisInvalidationsDeps
  readonly #reader: RedisClient
  readonly #writer: RedisClient
  readonly #origin = crypto.randomUUID()
  readonly #closing = new AbortController()
  readonly #reading: Promise<void>
  #unpublished = new Set<string>()
  /** The value of `InvalidationPoint.count` after this process's latest invalidation. */
  #upTo = 0
  #publishing = false
  #cancelRetry: (() => void) | undefined
  /** Undefined before the first attempt to read the stream has ended. */
  #follows: boolean | undefined
  #last = beforeFirstEntry

  constructor({ url, prefix = '' }: RedisInvalidationsOptions, deps: RedisInvalidationsDeps) {
    super(deps.clock)
    const target = parseRedisUrl(url)
    this.#key = `bft:${prefix}:raises`
    this.#deps = deps
    this.#writer = openRedis(target, deps.random)
    this.#writer.on('ready', () => void this.#publish())
    this.#reader = openRedis(target, deps.random, { blockMs })
    this.#reading = this.#read()
  }

  override localPointOf(key: string, position: string): InvalidationPoint | undefined {
    return this.#follows === true ? super.localPointOf(key, position) : undefined
  }

  override invalidate(topics: readonly string[]): void {
    this.#upTo = this.invalidateHere(topics)
    for (const topic of topics) this.#unpublished.add(topic)
    this.#bound()
    this.#deps.events.invalidated('here', topics.length)
    void this.#publish()
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort()
    this.#cancelRetry?.()
    this.#writer.removeAllListeners('ready')
    this.#writer.disconnect()
    this.#reader.disconnect()
    await this.#reading
  }

  async #publish(): Promise<void> {
    const { signal } = this.#closing
    if (this.#publishing || signal.aborted || this.#unpublished.size === 0) return
    const { clock, events } = this.#deps
    this.#publishing = true
    const topics = [...this.#unpublished]
    this.#unpublished.clear()
    const fields = ['origin', this.#origin, 'upTo', this.#upTo, 'topics', JSON.stringify(topics)]
    const failed = await this.#writer.xadd(this.#key, 'MAXLEN', '~', keptInvalidations, '*', ...fields).then(
      () => undefined,
      (error: unknown) => ({ refusal: refusalIn(error) }),
    )
    this.#publishing = false
    if (failed === undefined) {
      events.redisSucceeded('invalidate')
      return this.#publish()
    }
    events.redisFailed('invalidate', failed.refusal)
    for (const topic of topics) this.#unpublished.add(topic)
    this.#bound()
    this.#cancelRetry?.()
    if (!signal.aborted) this.#cancelRetry = clock.after(republishMs, () => void this.#publish())
  }

  #bound(): void {
    let length = 0
    for (const topic of this.#unpublished) length += topic.length
    const isTooMuch = this.#unpublished.size > maxUnpublished || length > maxUnpublishedLength
    if (isTooMuch || this.#unpublished.has(everything)) this.#unpublished = new Set([everything])
  }

  async #read(): Promise<void> {
    const { signal } = this.#closing
    for (let tries = 0; !signal.aborted; tries++) {
      try {
        if (this.#reader.status !== 'ready') await once(this.#reader, 'ready', { signal })
        await this.#findGap()
        tries = 0
        await this.#follow()
      } catch (error) {
        this.#tell(false, refusalIn(error))
        // ioredis itself waits before it reconnects. This delay is for a connection that works but
        // returns errors.
        if (this.#reader.status === 'ready' && !signal.aborted) await this.#rest(tries)
      }
    }
  }

  /** Invalidates everything if Redis deleted or lost entries that this process has not read. */
  async #findGap(): Promise<void> {
    const [length, [oldest], [newest]] = await Promise.all([
      this.#reader.xlen(this.#key),
      this.#reader.xrange(this.#key, '-', '+', 'COUNT', 1),
      this.#reader.xrevrange(this.#key, '+', '-', 'COUNT', 1),
    ])
    const isAnother = isLaterId(this.#last, newest?.[0] ?? beforeFirstEntry)
    if (isAnother) this.#last = beforeFirstEntry
    const start = oldest?.[0] ?? beforeFirstEntry
    const wasTrimmed = length >= keptInvalidations && isLaterId(start, this.#last)
    if (isAnother || wasTrimmed) this.invalidateFromStream([everything], start)
  }

  async #follow(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      const unread = await this.#reader.xread('COUNT', invalidationsAtOnce, 'STREAMS', this.#key, this.#last)
      if (unread !== null) {
        this.#hear(unread)
        continue
      }
      this.#tell(true)
      const asked = systemClock.now()
      const next = await this.#reader.xread(
        'COUNT',
        invalidationsAtOnce,
        'BLOCK',
        blockMs,
        'STREAMS',
        this.#key,
        this.#last,
      )
      if (next !== null) this.#hear(next)
      // Without new entries, Redis must answer only after `blockMs`. An instant answer would make
      // this loop spin. Redis waits in real time, so the injected clock does not apply.
      else if (systemClock.now() - asked < blockMs / 2) throw new Error('Redis does not block')
    }
  }

  #hear(streams: [key: string, items: [id: string, fields: string[]][]][]): void {
    for (const [id, fields] of streams.flatMap(([, items]) => items)) {
      if (!isLaterId(id, this.#last)) throw new Error('Redis gives what was read already')
      this.#last = id
      const field = (name: string) => fields[fields.indexOf(name) + 1]
      const topics = tryTopics(field('topics') ?? '')
      if (topics === undefined) continue
      if (field('origin') === this.#origin) {
        this.recordOwnPosition(topics, Number(field('upTo')), id)
      } else {
        this.invalidateFromStream(topics, id)
        this.#deps.events.invalidated('elsewhere', topics.length)
      }
    }
  }

  #tell(follows: boolean, refusal?: string): void {
    if (this.#follows === follows) return
    this.#follows = follows
    if (!this.#closing.signal.aborted) this.#deps.events.invalidationsFollowed(follows, refusal)
  }

  async #rest(tries: number): Promise<void> {
    const { clock, random } = this.#deps
    const ceiling = Math.min(maxRetryMs, firstRetryMs * 2 ** Math.min(tries, 10))
    await passing(ceiling * (0.5 + random() / 2), clock, this.#closing.signal)
  }
}

function tryTopics(text: string): readonly string[] | undefined {
  try {
    const topics: unknown = parseJsonText(text)
    return Array.isArray(topics) && topics.every((topic) => typeof topic === 'string') ? topics : undefined
  } catch {
    return undefined
  }
}
