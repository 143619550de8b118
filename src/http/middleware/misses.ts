import { LRUCache } from 'lru-cache'
import { SpliceError } from '../../errors/splice.ts'
import type { Clock } from '../../lib/clock.ts'

/** Maximum number of remembered addresses. A forgotten address starts with a full budget again. */
const mostAddresses = 10_000

/**
 * One token bucket per client address: limits the cache misses that the client may cause (quorum.md#cost-is-bounded).
 * Hits cost nothing.
 */
export class MissBudget {
  readonly #perSecond: number | undefined
  readonly #clock: Clock
  readonly #buckets = new LRUCache<string, { left: number; at: number }>({ max: mostAddresses })

  /**
   * @param perSecond how many misses one client may cause in a second; undefined means no limit. Its bucket holds twice
   * as many, and at least 1.
   */
  constructor(perSecond: number | undefined, clock: Clock) {
    this.#perSecond = perSecond
    this.#clock = clock
  }

  /**
   * Takes a miss for a refresh. Returns false if none is left: the caller then serves the stale answer without a
   * refresh.
   */
  trySpend(address: string): boolean {
    return this.#take(address) === 0
  }

  /**
   * Takes a miss.
   * @throws SpliceError `tooManyMisses`
   */
  spend(address: string): void {
    const seconds = this.#take(address)
    if (seconds > 0) throw tooMany(seconds)
  }

  /** Takes a miss and returns 0, or returns the seconds until one is available. */
  #take(address: string): number {
    const perSecond = this.#perSecond
    if (perSecond === undefined) return 0
    const now = this.#clock.now()
    const most = Math.max(1, 2 * perSecond)
    const client = clientOf(address)
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

/** Groups IPv6 addresses by /64, because one client owns a whole /64. */
function clientOf(address: string): string {
  if (!address.includes(':') || address.startsWith('::ffff:')) return address
  const [head = '', tail = ''] = address.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === '' ? [] : tail.split(':')
  const zeros = Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0')
  return [...left, ...zeros, ...right].slice(0, 4).join(':')
}
