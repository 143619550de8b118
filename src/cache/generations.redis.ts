import type { Clock } from '../lib/clock.ts'
import type { Random } from '../lib/random.ts'
import type { CacheEvents } from './events.ts'
import type { Generation, Generations } from './generations.ts'
import { everything, RaiseBook } from './raise-book.ts'
import { type Raise, RaiseStream } from './raise-stream.ts'
import { parseRedisUrl } from './redis-url.ts'

export interface RedisGenerationsOptions {
  /** In the form that `parseRedisUrl` accepts. */
  readonly url: string
  /** Must equal the store's prefix. */
  readonly prefix?: string
}

export interface RedisGenerationsDeps {
  readonly clock: Clock
  readonly random: Random
  readonly events: CacheEvents
}

/** If more unpublished topics accumulate, they become one invalidation of everything. */
const maxUnpublished = 1_000
/**
 * If their total length exceeds this many characters, they become one invalidation of everything too. A character takes
 * at most six bytes in JSON, and readers accept at most 320 KiB.
 */
const maxUnpublishedLength = 50_000
/** The retry is sooner if the connection comes back. */
const republishMs = 1_000

/**
 * Shares invalidations among all daemons on one Redis. While this daemon cannot read the stream, it adopts no
 * answers, because it may miss an invalidation. It retries an invalidation that it could not publish.
 */
export class RedisGenerations implements Generations {
  readonly #book: RaiseBook
  readonly #stream: RaiseStream
  readonly #clock: Clock
  readonly #events: CacheEvents
  readonly #origin = crypto.randomUUID()
  #unpublished = new Set<string>()
  /** The count of the last invalidation in `#unpublished`. */
  #upTo = 0
  #publishing = false
  #follows = false
  #cancelRetry: (() => void) | undefined
  #closed = false

  /** @throws TypeError for an invalid URL. */
  constructor({ url, prefix = '' }: RedisGenerationsOptions, deps: RedisGenerationsDeps) {
    const { clock, random, events } = deps
    this.#clock = clock
    this.#events = events
    this.#book = new RaiseBook(clock)
    this.#stream = new RaiseStream(
      `bft:${prefix}:raises`,
      parseRedisUrl(url),
      {
        clock,
        random,
        heard: (raise, position) => this.#hear(raise, position),
        missed: (position) => this.#book.raiseFromStream([everything], position),
        follows: (follows) => {
          this.#follows = follows
          events.raisesHeard(follows)
        },
      },
      () => void this.#publish(),
    )
  }

  get current(): Generation {
    return this.#book.current
  }

  isCurrent(key: string, generation: Generation): boolean {
    return this.#book.isCurrent(key, generation)
  }

  adopt(key: string, position: string): Generation | undefined {
    return this.#follows ? this.#book.adopt(key, position) : undefined
  }

  withholdsAbsence(key: string): boolean {
    return this.#book.withholdsAbsence(key)
  }

  raise(topics: readonly string[]): void {
    this.#upTo = this.#book.raiseHere(topics)
    for (const topic of topics) this.#unpublished.add(topic)
    this.#bound()
    this.#events.generationRaised('here', topics.length)
    void this.#publish()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    this.#cancelRetry?.()
    await this.#stream[Symbol.asyncDispose]()
  }

  #hear({ topics, origin, upTo }: Raise, position: string): void {
    if (origin === this.#origin) {
      this.#book.place(topics, upTo, position)
      return
    }
    this.#book.raiseFromStream(topics, position)
    this.#events.generationRaised('elsewhere', topics.length)
  }

  async #publish(): Promise<void> {
    if (this.#publishing || this.#closed || this.#unpublished.size === 0) return
    this.#publishing = true
    const topics = [...this.#unpublished]
    this.#unpublished.clear()
    const published = await this.#stream.add({ topics, origin: this.#origin, upTo: this.#upTo }).then(
      () => true,
      () => false,
    )
    this.#publishing = false
    if (published) return this.#publish()
    this.#events.redisFailed('raise')
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
