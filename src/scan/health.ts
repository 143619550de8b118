import type { Clock } from '../lib/clock.ts'

/** How much the newest observation weighs. */
const gain = 0.2
/** Before anything is known. */
const unknownHedgeMs = 250
const leastHedgeMs = 20
const mostHedgeMs = 2_000
/** A voter that never answers keeps this share of its weight, so that its return is noticed. */
const leastAvailability = 0.02
/** A slow voter keeps this share of its weight. */
const leastPace = 0.6

/**
 * How a scan node has been doing, as far as choosing whom to ask goes: availability and latency, never agreement
 * (quorum.md 15), or liars could steer who is asked.
 */
export class Health {
  readonly #clock: Clock
  #availability = 1
  #latencyMs: number | undefined
  #deviationMs = 0
  #lastAsked: number
  #reachable: boolean | undefined

  constructor(clock: Clock) {
    this.#clock = clock
    this.#lastAsked = clock.now()
  }

  /** An ask or a probe is on its way. */
  asked(now = this.#clock.now()): void {
    this.#lastAsked = now
  }

  answered(latencyMs: number): void {
    this.#reachable = true
    this.#availability += gain * (1 - this.#availability)
    if (this.#latencyMs === undefined) {
      this.#latencyMs = latencyMs
      this.#deviationMs = latencyMs / 2
      return
    }
    this.#deviationMs += gain * (Math.abs(latencyMs - this.#latencyMs) - this.#deviationMs)
    this.#latencyMs += gain * (latencyMs - this.#latencyMs)
  }

  failed(): void {
    this.#reachable = false
    this.#availability -= gain * this.#availability
  }

  /** Whether the last ask or probe succeeded; undefined before the first. */
  get reachable(): boolean | undefined {
    return this.#reachable
  }

  /** Smoothed, in milliseconds. */
  get latencyMs(): number | undefined {
    return this.#latencyMs
  }

  /** Between 0 and 1, smoothed. */
  get availability(): number {
    return this.#availability
  }

  /** Milliseconds since the last ask or probe began. */
  get idleMs(): number {
    return this.#clock.now() - this.#lastAsked
  }

  /** After this long an answer is overdue (RFC 6298's estimate of a round trip). */
  get overdueMs(): number {
    if (this.#latencyMs === undefined) return unknownHedgeMs
    return Math.min(mostHedgeMs, Math.max(leastHedgeMs, 1.5 * this.#latencyMs + 4 * this.#deviationMs))
  }

  /**
   * Above 0; two healthy nodes' weights differ by less than the factor between the fastest and `leastPace`.
   * @param usualMs the median latency of the roster.
   */
  weight(usualMs: number): number {
    const latencyMs = this.#latencyMs ?? 0
    const pace = latencyMs <= usualMs ? 1 : Math.max(leastPace, usualMs / latencyMs)
    return Math.max(leastAvailability, this.#availability ** 2) * pace
  }
}
