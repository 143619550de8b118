import { LRUCache } from 'lru-cache'
import { SpliceError } from '../../../base/errors/splice.ts'
import type { Clock } from '../../../base/lib/clock.ts'

const mostAddresses = 10_000

/**
 * Limits the cache misses that each client address may cause (quorum.md#cost-is-bounded). Answers
 * from the cache cost nothing.
 */
export class MissBudget {
  readonly #perSecond: number
  readonly #clock: Clock
  readonly #limited: () => void
  readonly #buckets = new LRUCache<string, { left: number; at: number }>({ max: mostAddresses })

  /**
   * @param perSecond the misses per second on average. A client that causes none can save up the
   * misses of two seconds, and always at least 1.
   */
  constructor(perSecond: number, clock: Clock, limited: () => void = () => {}) {
    this.#perSecond = perSecond
    this.#clock = clock
    this.#limited = limited
  }

  trySpend(client: string): boolean {
    return this.#take(client) === 0
  }

  spend(client: string): void {
    const seconds = this.#take(client)
    if (seconds === 0) return
    this.#limited()
    throw tooMany(seconds)
  }

  /** Returns 0, or the seconds until the client may cause the next miss. */
  #take(client: string): number {
    const perSecond = this.#perSecond
    const now = this.#clock.now()
    const most = Math.max(1, 2 * perSecond)
    const bucket = this.#buckets.get(client) ?? { left: most, at: now }
    bucket.left = Math.min(most, bucket.left + ((now - bucket.at) / 1000) * perSecond)
    bucket.at = now
    this.#buckets.set(client, bucket)
    if (bucket.left < 1) return Math.max(1, Math.ceil((1 - bucket.left) / perSecond))
    bucket.left--
    return 0
  }
}

function tooMany(seconds: number): SpliceError {
  return new SpliceError('tooManyMisses', { seconds }, { retryAfter: seconds })
}
