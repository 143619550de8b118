import { LRUCache } from 'lru-cache'
import { SpliceError } from '../../errors/splice.ts'
import type { Clock } from '../../lib/clock.ts'

/**
 * The maximum number of client addresses that are remembered. A client whose address was forgotten starts
 * with a full budget again.
 */
const mostAddresses = 10_000

/**
 * Limits the cache misses that each client address may cause (quorum.md#cost-is-bounded). Each address has a
 * token bucket. Answers from the cache cost nothing.
 */
export class MissBudget {
  readonly #perSecond: number | undefined
  readonly #clock: Clock
  readonly #buckets = new LRUCache<string, { left: number; at: number }>({ max: mostAddresses })

  /**
   * @param perSecond how many misses one client may cause per second on average; undefined means no limit.
   * The bucket of a client holds twice as many, and at least 1.
   */
  constructor(perSecond: number | undefined, clock: Clock) {
    this.#perSecond = perSecond
    this.#clock = clock
  }

  /**
   * Takes one from the misses that this client may still cause, for a refresh. Returns false if none is left.
   * The caller then serves the stale answer without a refresh.
   */
  trySpend(address: string): boolean {
    return this.#take(address) === 0
  }

  /**
   * Counts a miss.
   * @throws SpliceError `tooManyMisses` if the client has none left.
   */
  spend(address: string): void {
    const seconds = this.#take(address)
    if (seconds > 0) throw tooMany(seconds)
  }

  /** Counts a miss and returns 0. If the client has none left, returns the seconds until it has one. */
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

/**
 * Returns the text under which an address is counted. IPv6 addresses are counted by /64, because one client
 * owns a whole /64.
 */
function clientOf(address: string): string {
  if (!address.includes(':') || address.startsWith('::ffff:')) return address
  const [head = '', tail = ''] = address.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === '' ? [] : tail.split(':')
  const zeros = Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0')
  return [...left, ...zeros, ...right].slice(0, 4).join(':')
}
