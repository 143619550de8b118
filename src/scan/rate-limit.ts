import type { Clock } from '../lib/clock.ts'

/** Which limit of a node an ask falls under: the token registry's ingress has one of its own. */
export type Ingress = 'scan' | 'registry'

/** The most asks that one node gets, whoever causes them; undefined where there is no limit. */
export interface RateLimitOptions {
  /** Of every kind, in any second. */
  readonly asksPerSecond?: number | undefined
  /** Of the token registry, in any minute. */
  readonly registryAsksPerMinute?: number | undefined
}

/** The limits have the names of their options. */
export interface Held {
  readonly why: 'retry-after' | 'asksPerSecond' | 'registryAsksPerMinute'
  readonly ms: number
}

export function ingressOf({ path }: { readonly path: string }): Ingress {
  return path.startsWith('/registry/') ? 'registry' : 'scan'
}

/** A node that says 429 and not for how long is left alone for this long. */
const unsaidPauseMs = 1_000
/** No node is left alone for longer than this on its own word. */
const longestPauseMs = 600_000
/** Whoever is the next but so far away does not wait for its turn: others are asked instead. */
const longestTurnMs = 1_000

/**
 * When one node may be asked: within its rate, and not before the time that it named in a `retry-after`. An ask
 * that comes a little too early for the rate is told its turn; any other one is not sent, and others are asked instead.
 */
export class RateLimit {
  readonly #clock: Clock
  readonly #all: Rate
  readonly #registry: Rate
  #pausedUntil = Number.NEGATIVE_INFINITY

  constructor({ asksPerSecond, registryAsksPerMinute }: RateLimitOptions, clock: Clock) {
    this.#clock = clock
    this.#all = new Rate(asksPerSecond, 1_000)
    this.#registry = new Rate(registryAsksPerMinute, 60_000)
  }

  /** Whether an ask would be let through now, without waiting. */
  allows(ingress: Ingress, now = this.#clock.now()): boolean {
    return this.waitMs(ingress, now) === 0
  }

  /** Whether it has more than a quarter of its asks left: enough for those that nobody waits for. */
  hasPlenty(ingress: Ingress): boolean {
    const now = this.#clock.now()
    if (now < this.#pausedUntil || !this.#all.hasPlenty(now)) return false
    return ingress === 'scan' || this.#registry.hasPlenty(now)
  }

  /** Whether the node asked for a pause that is not over. */
  get isPaused(): boolean {
    return this.#clock.now() < this.#pausedUntil
  }

  /**
   * Why asks are not sent now: the node asked for a pause, or a limit is used up, which for the token registry may be the
   * case alone; and milliseconds until they are. Undefined where they are.
   */
  get held(): Held | undefined {
    const now = this.#clock.now()
    if (now < this.#pausedUntil) return { why: 'retry-after', ms: this.#pausedUntil - now }
    if (this.refuses('scan')) return { why: 'asksPerSecond', ms: this.#all.waitMs(now) }
    if (this.refuses('registry')) return { why: 'registryAsksPerMinute', ms: this.#registry.waitMs(now) }
    return undefined
  }

  /** Whether an ask would be told no turn. */
  refuses(ingress: Ingress): boolean {
    return this.#turnMs(ingress, this.#clock.now()) === undefined
  }

  /**
   * Counts one ask, and tells after how many milliseconds it is its turn; most often after 0. Undefined, and nothing is
   * counted, where it may not be sent.
   */
  tryTake(ingress: Ingress): number | undefined {
    const now = this.#clock.now()
    const turnMs = this.#turnMs(ingress, now)
    if (turnMs === undefined) return undefined
    this.#all.take(now + turnMs)
    if (ingress === 'registry') this.#registry.take(now + turnMs)
    return turnMs
  }

  /** Milliseconds until an ask would be let through, if nobody else asks; 0 for at once. */
  waitMs(ingress: Ingress, now = this.#clock.now()): number {
    return Math.max(0, this.#pausedUntil - now, this.#rateMs(ingress, now))
  }

  /**
   * What a response's head says about asking again (RFC 9110, 10.2.3): a 429, or a 503 that says when. It can only make a
   * pause longer.
   */
  answered(status: number, retryAfter: string | undefined): void {
    if (status !== 429 && status !== 503) return
    const said = retryAfter === undefined ? undefined : tryRetryAfterMs(retryAfter, this.#clock.wall())
    const pauseMs = said ?? (status === 429 ? unsaidPauseMs : 0)
    if (pauseMs === 0) return
    const until = this.#clock.now() + Math.min(pauseMs, longestPauseMs)
    this.#pausedUntil = Math.max(this.#pausedUntil, until)
  }

  #turnMs(ingress: Ingress, now: number): number | undefined {
    if (now < this.#pausedUntil) return undefined
    const waitMs = this.#rateMs(ingress, now)
    return waitMs > longestTurnMs ? undefined : waitMs
  }

  #rateMs(ingress: Ingress, now: number): number {
    const allMs = this.#all.waitMs(now)
    return ingress === 'scan' ? allMs : Math.max(allMs, this.#registry.waitMs(now))
  }
}

/** At most `limit` in any window, whenever it begins: the moments of those in the last one are known. */
class Rate {
  readonly #limit: number
  readonly #windowMs: number
  /** In ascending order, those whose turn is to come among them; from `#from` on they count. */
  #taken: number[] = []
  #from = 0

  constructor(limit = Number.POSITIVE_INFINITY, windowMs: number) {
    this.#limit = limit
    this.#windowMs = windowMs
  }

  take(at: number): void {
    if (this.#limit === Number.POSITIVE_INFINITY) return
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

/** Seconds, or an HTTP date; undefined for anything else. */
function tryRetryAfterMs(text: string, wall: number): number | undefined {
  if (/^\d+$/.test(text)) return Number(text) * 1_000
  const date = text.endsWith(' GMT') ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - wall)
}
