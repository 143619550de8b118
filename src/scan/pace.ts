import type { Clock } from '../lib/clock.ts'

/** Which limit of a node an ask falls under: the token registry's ingress has one of its own. */
export type Ingress = 'scan' | 'registry'

/** The most asks that one node gets, whoever causes them; undefined where there is no limit. */
export interface PaceOptions {
  /** Of every kind, in any second. */
  readonly asksPerSecond?: number | undefined
  /** Of the token registry, in any minute. */
  readonly registryAsksPerMinute?: number | undefined
}

export function ingressOf({ path }: { readonly path: string }): Ingress {
  return path.startsWith('/registry/') ? 'registry' : 'scan'
}

/** A node that says 429 and not for how long is left alone for this long. */
const unsaidPauseMs = 1_000
/** No node is left alone for longer than this on its own word. */
const longestPauseMs = 600_000
/** A roster is found in as many asks of one node at once. */
const leastBurst = 8

/**
 * When one node may be asked: within its rate, and not before the time that it named in a `retry-after`. Nothing waits
 * here: an ask that comes too early is not sent, and others are asked instead.
 */
export class Pace {
  readonly #clock: Clock
  readonly #all: Rate
  readonly #registry: Rate
  #pausedUntil = Number.NEGATIVE_INFINITY

  constructor({ asksPerSecond, registryAsksPerMinute }: PaceOptions, clock: Clock) {
    this.#clock = clock
    this.#all = new Rate(asksPerSecond, 1_000, leastBurst)
    this.#registry = new Rate(registryAsksPerMinute, 60_000, 1)
  }

  /** Whether an ask would be let through now. */
  allows(ingress: Ingress, now = this.#clock.now()): boolean {
    if (now < this.#pausedUntil || !this.#all.allows(now)) return false
    return ingress === 'scan' || this.#registry.allows(now)
  }

  /** Counts one ask. False, and nothing is counted, where it may not be sent now. */
  tryTake(ingress: Ingress): boolean {
    const now = this.#clock.now()
    if (!this.allows(ingress, now)) return false
    this.#all.take(now)
    if (ingress === 'registry') this.#registry.take(now)
    return true
  }

  /** Milliseconds until an ask would be let through, if nobody else asks; 0 for at once. */
  waitMs(ingress: Ingress): number {
    const now = this.#clock.now()
    const registryMs = ingress === 'scan' ? 0 : this.#registry.waitMs(now)
    return Math.max(0, this.#pausedUntil - now, this.#all.waitMs(now), registryMs)
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
}

/**
 * At most `limit` in any window, whenever it begins: a quarter of them at once, the rest evenly (the generic cell rate
 * algorithm, ITU-T I.371, which needs one number and no timer).
 */
class Rate {
  readonly #intervalMs: number
  readonly #slackMs: number
  /** When the next one would be due, were they all evenly spread. */
  #dueAt = Number.NEGATIVE_INFINITY

  constructor(limit: number | undefined, windowMs: number, leastBurst: number) {
    const burst = Math.max(leastBurst, Math.floor((limit ?? 0) / 4))
    this.#intervalMs = limit === undefined ? 0 : windowMs / (limit - burst + 1)
    this.#slackMs = limit === undefined ? Number.POSITIVE_INFINITY : (burst - 1) * this.#intervalMs
  }

  allows(now: number): boolean {
    return this.#dueAt - now <= this.#slackMs
  }

  take(now: number): void {
    this.#dueAt = Math.max(this.#dueAt, now) + this.#intervalMs
  }

  waitMs(now: number): number {
    return Math.max(0, this.#dueAt - now - this.#slackMs)
  }
}

/** Seconds, or an HTTP date; undefined for anything else. */
function tryRetryAfterMs(text: string, wall: number): number | undefined {
  if (/^\d+$/.test(text)) return Number(text) * 1_000
  const date = text.endsWith(' GMT') ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - wall)
}
