import type { Clock } from '../lib/clock.ts'
import { expectedMs, lateMs } from './lateness.ts'
import { probeBackoffMs } from './probe-backoff.ts'
import { ReplyTimes } from './reply-times.ts'

/** The weight of the newest outcome in the smoothed availability, from 0 to 1. */
const gain = 0.2

/**
 * A class of replies with comparable reply times: `small` for all reads with small answers, otherwise the id
 * of the read.
 */
export type ReplyKind = string

/**
 * Records a scan's reply times and faults for peer selection. It must not record whether the scan agreed with
 * others: liars could otherwise influence which scans are asked (quorum.md#agreement-never-chooses).
 */
export class Health {
  readonly #clock: Clock
  readonly #times = new Map<ReplyKind, ReplyTimes>()
  #availability = 1
  #lastAsked: number
  #reachable: boolean | undefined
  /**
   * The number of faults since the scan last answered a caller's read. A reply that only asks for fewer
   * requests, such as a 429, is not counted.
   */
  #faults = 0
  #lastHeard = Number.NEGATIVE_INFINITY
  #lastProbed = Number.NEGATIVE_INFINITY
  #isDoubted = false
  /**
   * The time at which the daemon sent the request that is late now, as a value of `Clock.now()`. Of several
   * late requests, the first that became late counts. Undefined if no request became late since the last
   * reply.
   */
  #silentSince: number | undefined

  constructor(clock: Clock) {
    this.#clock = clock
    this.#lastAsked = clock.now()
  }

  /** Records that the daemon sent a request or a probe. */
  asked(now = this.#clock.now()): void {
    this.#lastAsked = now
  }

  answered(tookMs: number, kind: ReplyKind): void {
    this.#faults = 0
    this.#heard(tookMs, kind)
  }

  /** Records a usable answer to a probe, or to another request that the daemon makes for itself. */
  probed(tookMs: number): void {
    this.#heard(tookMs, 'small')
  }

  /**
   * Records a reply that does not show whether the scan answers reads. Until another reply shows that, the
   * daemon probes the scan even if it is not idle.
   */
  doubted(): void {
    this.#isDoubted = true
    this.#lastHeard = this.#clock.now()
    this.#silentSince = undefined
  }

  /** Records that the daemon sent a probe. */
  probing(now = this.#clock.now()): void {
    this.#lastProbed = now
  }

  /**
   * Records a fault which shows that the scan cannot answer reads. Examples are no response, status 401, and
   * a response that is not JSON.
   */
  failed(): void {
    this.#faults++
    this.throttled()
    this.#lastHeard = this.#clock.now()
  }

  /** Records that the scan asked for fewer requests. */
  throttled(): void {
    this.#silentSince = undefined
    this.#isDoubted = false
    this.#reachable = false
    this.#availability -= gain * this.#availability
  }

  /** Records that the request sent at `askedAt` takes longer than usual. */
  late(askedAt: number): void {
    if (askedAt >= this.#lastHeard) this.#silentSince ??= askedAt
  }

  /**
   * Whether the latest request or probe got a usable answer. An outcome that does not show whether the scan
   * answers reads does not count. Undefined before the first outcome that counts.
   */
  get reachable(): boolean | undefined {
    return this.#reachable
  }

  /**
   * Whether the scan has failed since it last answered a caller's read, and the latest request or probe to it
   * did not succeed.
   */
  get isFailing(): boolean {
    return this.#faults > 0 && this.#reachable === false
  }

  /** The smoothed share of requests and probes that succeeded, from 0 to 1. */
  get availability(): number {
    return this.#availability
  }

  /** Milliseconds since the last request or probe began. */
  get idleMs(): number {
    return this.#clock.now() - this.#lastAsked
  }

  /**
   * Returns the milliseconds that a reply of this kind is expected to take.
   * - If no reply of this kind is known, the result is computed from replies of the class `small`. If none of
   *   these is known either, the result is undefined.
   * - If a request is late now, the result is at least the time since the daemon sent that request.
   */
  expectedMs(kind: ReplyKind, now: number): number | undefined {
    const times = this.#times.get(kind) ?? this.#times.get('small')
    if (times === undefined) return undefined
    const usual = expectedMs(times)
    if (this.#silentSince === undefined) return usual
    return Math.max(usual, now - this.#silentSince)
  }

  /** Returns the milliseconds after which a reply of this kind is late. */
  lateMs(kind: ReplyKind): number {
    return lateMs(this.#times.get(kind))
  }

  /**
   * Whether to probe the scan. True if the scan has been idle for `probeAfterMs`. Also true if its latest
   * reply is doubtful (`doubted`) and the last probe is at least as long ago.
   */
  isProbeDue(probeIntervalMs: number): boolean {
    const afterMs = this.probeAfterMs(probeIntervalMs)
    return this.idleMs >= afterMs || (this.#isDoubted && this.#clock.now() - this.#lastProbed >= afterMs)
  }

  /** Returns the milliseconds that the scan must be idle before the next probe. */
  probeAfterMs(probeIntervalMs: number): number {
    return probeBackoffMs(this.isFailing ? this.#faults : 0, probeIntervalMs)
  }

  #heard(tookMs: number, kind: ReplyKind): void {
    this.#lastHeard = this.#clock.now()
    this.#silentSince = undefined
    this.#isDoubted = false
    this.#reachable = true
    this.#availability += gain * (1 - this.#availability)
    let times = this.#times.get(kind)
    if (times === undefined) {
      times = new ReplyTimes()
      this.#times.set(kind, times)
    }
    times.add(tookMs)
  }
}
