import { once } from 'node:events'
import { type Clock, systemClock } from '../../base/lib/clock.ts'
import { parseJsonText } from '../../base/lib/parse-json-text.ts'
import { passing } from '../../base/lib/passing.ts'
import type { Random } from '../../base/lib/random.ts'
import type { RedisTarget } from '../../base/lib/redis-url.ts'
import { beforeFirstEntry, isLaterId } from './invalidation-log.ts'
import { refusalIn } from './redis-breaker.ts'
import { openRedis, type RedisClient } from './redis-client.ts'

export interface Invalidation {
  readonly topics: readonly string[]
  readonly origin: string
  /**
   * The value of `InvalidationPoint.count` in the process `origin` after the latest invalidation in
   * this entry.
   */
  readonly upTo: number
}

export interface InvalidationStreamDeps {
  readonly clock: Clock
  readonly random: Random
  readonly heard: (invalidation: Invalidation, position: string) => void
  /**
   * Called if this process may have missed entries before `position`, because Redis deleted or lost
   * them.
   */
  readonly missed: (position: string) => void
  readonly follows: (follows: boolean, refusal?: string) => void
}

const keptInvalidations = 10_000
const invalidationsAtOnce = 100
const blockMs = 5_000
const firstRetryMs = 100
const maxRetryMs = 5_000

/**
 * Publishes and reads invalidations through a Redis stream, so that all daemons share them. After a
 * lost connection, reading continues after the last entry that was read.
 */
export class InvalidationStream implements AsyncDisposable {
  readonly #key: string
  readonly #reader: RedisClient
  readonly #writer: RedisClient
  readonly #deps: InvalidationStreamDeps
  readonly #closing = new AbortController()
  readonly #reading: Promise<void>
  #follows: boolean | undefined
  #last = beforeFirstEntry

  constructor(key: string, target: RedisTarget, deps: InvalidationStreamDeps, writable: () => void) {
    this.#key = key
    this.#deps = deps
    this.#writer = openRedis(target, deps.random)
    this.#writer.on('ready', writable)
    this.#reader = openRedis(target, deps.random, { blockMs })
    this.#reading = this.#read()
  }

  async add({ topics, origin, upTo }: Invalidation): Promise<void> {
    const fields = ['origin', origin, 'upTo', upTo, 'topics', JSON.stringify(topics)]
    await this.#writer.xadd(this.#key, 'MAXLEN', '~', keptInvalidations, '*', ...fields)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort()
    this.#writer.removeAllListeners('ready')
    this.#writer.disconnect()
    this.#reader.disconnect()
    await this.#reading
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
    for (const [, items] of streams) {
      for (const [id, fields] of items) {
        if (!isLaterId(id, this.#last)) throw new Error('Redis gives what was read already')
        this.#last = id
        const invalidation = tryInvalidation(fields)
        if (invalidation !== undefined) this.#deps.heard(invalidation, id)
      }
    }
  }

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
    if (isAnother || wasTrimmed) this.#deps.missed(start)
  }

  #tell(follows: boolean, refusal?: string): void {
    if (this.#follows === follows) return
    this.#follows = follows
    this.#deps.follows(follows, refusal)
  }

  async #rest(tries: number): Promise<void> {
    const { clock, random } = this.#deps
    const ceiling = Math.min(maxRetryMs, firstRetryMs * 2 ** Math.min(tries, 10))
    await passing(ceiling * (0.5 + random() / 2), clock, this.#closing.signal)
  }
}

function tryInvalidation(fields: readonly string[]): Invalidation | undefined {
  const field = (name: string) => fields[fields.indexOf(name) + 1]
  try {
    const topics: unknown = parseJsonText(field('topics') ?? '')
    if (!Array.isArray(topics) || !topics.every((topic) => typeof topic === 'string')) return undefined
    return { topics, origin: field('origin') ?? '', upTo: Number(field('upTo')) }
  } catch {
    return undefined
  }
}
