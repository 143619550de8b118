import type { Clock } from '../../base/lib/clock.ts'

/**
 * The class of a request to a scan. `asksPerSecond` limits the requests of both classes together.
 * `registryAsksPerMinute` limits only `registry`: the requests to the scan's token registry.
 */
export type Ingress = 'scan' | 'registry'

export interface RateLimitOptions {
  readonly asksPerSecond?: number | undefined
  readonly registryAsksPerMinute?: number | undefined
}

export interface RateHold {
  readonly why: 'retry-after' | 'asksPerSecond' | 'registryAsksPerMinute'
  readonly ms: number
}

export function ingressOf({ path }: { readonly path: string }): Ingress {
  return path.startsWith('/registry/') ? 'registry' : 'scan'
}

const unsaidPauseMs = 1_000
const longestPauseMs = 600_000
/**
 * The longest time that a request waits for the rate limit. If the next permitted moment is further
 * away, the request is not sent, and the read can ask the node later, or ask another node.
 */
const longestTurnMs = 1_000

/**
 * Decides when the daemon may ask one node. During a pause that the node requested (`retry-after`),
 * the daemon sends it nothing. A request above the rate limit waits for up to a second, or is not
 * sent.
 */
export class RateLimit {
  readonly #clock: Clock
  /** The limits that count the requests of each class. */
  readonly #rates: Readonly<Record<Ingress, readonly Rate[]>>
  #pausedUntil = Number.NEGATIVE_INFINITY

  constructor({ asksPerSecond, registryAsksPerMinute }: RateLimitOptions, clock: Clock) {
    this.#clock = clock
    const scan = asksPerSecond === undefined ? [] : [new Rate('asksPerSecond', asksPerSecond, 1_000)]
    const registry =
      registryAsksPerMinute === undefined
        ? []
        : [new Rate('registryAsksPerMinute', registryAsksPerMinute, 60_000)]
    this.#rates = { scan, registry: [...scan, ...registry] }
  }

  allows(ingress: Ingress, now = this.#clock.now()): boolean {
    return this.waitMs(ingress, now) === 0
  }

  /**
   * Whether no pause is running, and more than a quarter of the permitted requests are unused. Only
   * then does the daemon send requests that a read can do without, such as audits.
   */
  hasPlenty(ingress: Ingress): boolean {
    const now = this.#clock.now()
    if (now < this.#pausedUntil) return false
    for (const rate of this.#rates[ingress]) if (!rate.hasPlenty(now)) return false
    return true
  }

  get isPaused(): boolean {
    return this.#clock.now() < this.#pausedUntil
  }

  get held(): RateHold | undefined {
    const now = this.#clock.now()
    if (now < this.#pausedUntil) return { why: 'retry-after', ms: this.#pausedUntil - now }
    const rate = this.#rates.registry.find((each) => each.waitMs(now) > longestTurnMs)
    return rate && { why: rate.option, ms: rate.waitMs(now) }
  }

  refuses(ingress: Ingress, now = this.#clock.now()): boolean {
    return now < this.#pausedUntil || this.waitMs(ingress, now) > longestTurnMs
  }

  /**
   * Counts one request and returns the milliseconds after which it may be sent, usually 0. If the
   * request is not permitted, counts nothing and returns undefined.
   */
  tryTake(ingress: Ingress): number | undefined {
    const now = this.#clock.now()
    if (this.refuses(ingress, now)) return undefined
    const turnMs = this.waitMs(ingress, now)
    for (const rate of this.#rates[ingress]) rate.take(now + turnMs)
    return turnMs
  }

  waitMs(ingress: Ingress, now = this.#clock.now()): number {
    let longestMs = Math.max(0, this.#pausedUntil - now)
    for (const rate of this.#rates[ingress]) longestMs = Math.max(longestMs, rate.waitMs(now))
    return longestMs
  }

  /**
   * Records the pause that a response asks for (RFC 9110, 10.2.3). Status 429 asks for a pause even
   * without `retry-after`, status 503 only with it. A later response can only make the pause
   * longer.
   */
  answered(status: number, retryAfter: string | undefined): void {
    if (status !== 429 && status !== 503) return
    const said = retryAfter === undefined ? undefined : tryRetryAfterMs(retryAfter, this.#clock.wall())
    const pauseMs = said ?? (status === 429 ? unsaidPauseMs : 0)
    if (pauseMs === 0) return
    const until = this.#clock.now() + Math.min(pauseMs, longestPauseMs)
    this.#pausedUntil = Math.max(this.#pausedUntil, until)
  }
}

/** A sliding-window limit: any interval of `windowMs` contains at most `limit` requests. */
class Rate {
  readonly option: Exclude<RateHold['why'], 'retry-after'>
  readonly #limit: number
  readonly #windowMs: number
  /**
   * The times at which requests were or will be sent, in ascending order. Entries before index
   * `#from` are older than the window.
   */
  #taken: number[] = []
  #from = 0

  constructor(option: Rate['option'], limit: number, windowMs: number) {
    this.option = option
    this.#limit = limit
    this.#windowMs = windowMs
  }

  take(at: number): void {
    let place = this.#taken.length
    while (place > this.#from && (this.#taken[place - 1] as number) > at) place--
    this.#taken.splice(place, 0, at)
  }

  hasPlenty(now: number): boolean {
    return this.#count(now) < 0.75 * this.#limit
  }

  waitMs(now: number): number {
    const over = this.#count(now) - this.#limit
    return over < 0 ? 0 : (this.#taken[this.#from + over] as number) + this.#windowMs - now
  }

  #count(now: number): number {
    while ((this.#taken[this.#from] as number) <= now - this.#windowMs) this.#from++
    if (this.#from > 64 && this.#from * 2 > this.#taken.length) {
      this.#taken = this.#taken.slice(this.#from)
      this.#from = 0
    }
    return this.#taken.length - this.#from
  }
}

function tryRetryAfterMs(text: string, wall: number): number | undefined {
  if (/^\d+$/.test(text)) return Number(text) * 1_000
  const date = text.endsWith(' GMT') ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - wall)
}
