import type { Clock } from '../lib/clock.ts'
import { ReplyTimes } from './reply-times.ts'

/**
 * Two shares of a scan's recent replies. The daemon expects a reply within the time in which `expectedShare` of them
 * arrived. It calls a reply late after the time in which `lateShare` of them arrived.
 */
const expectedShare = 0.75
const lateShare = 0.95
/**
 * If fewer reply times than this are known, a reply is late after twice the longest of them. The bounds below apply
 * too.
 */
const fewReplies = 8
/**
 * The least and the most milliseconds after which a reply is late. Without the upper bound, a slow liar could
 * make the daemon ever more patient.
 */
const leastLateMs = 10
const mostLateMs = 2_000
/** Milliseconds after which a reply is late if the scan has sent no reply of its kind yet. */
const unknownLateMs = 250

/** The weight of the newest outcome in the smoothed availability, from 0 to 1. */
const gain = 0.2
const firstProbeMs = 1_000

/**
 * A class of replies with comparable reply times: `small` for all small answers, and for large ones the id of
 * the read.
 */
export type ReplyKind = string

/**
 * Records a scan's reply times and faults for peer selection. Agreement is never recorded here
 * (quorum.md#agreement-never-chooses): else liars could steer which scans are asked.
 */
export class Health {
  readonly #clock: Clock
  readonly #times = new Map<ReplyKind, ReplyTimes>()
  #availability = 1
  #lastAsked: number
  #reachable: boolean | undefined
  /** The number of faults since the scan last answered a read. Requests to ask less often do not count. */
  #faults = 0
  #lastHeard = Number.NEGATIVE_INFINITY
  #lastProbed = Number.NEGATIVE_INFINITY
  #isDoubted = false
  /**
   * When the daemon sent the first request that was reported late after the last reply. Undefined if there is none.
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

  /** Records a usable answer to a probe, or to another request that belongs to no caller's read. */
  probed(tookMs: number): void {
    this.#heard(tookMs, 'small')
  }

  /**
   * Records a reply that does not show whether the scan answers reads. Until another reply shows it, the daemon
   * probes the scan even if it is not idle.
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
   * Records a fault which shows that the scan cannot answer reads: it did not answer, refused the read, or
   * its response was not that of a scan.
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
   * Whether the scan gave a usable answer to the latest request or probe. Replies that show nothing about the scan do
   * not count. Undefined before the first reply that counts.
   */
  get reachable(): boolean | undefined {
    return this.#reachable
  }

  /**
   * Whether the scan has failed since it last answered a read, and its latest request or probe did not
   * succeed.
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
   * The milliseconds that a reply of this kind is expected to take; small replies stand for a kind of which none is
   * known. For a silent scan they are at least the time for which it has been silent. Undefined if no such reply is
   * known.
   */
  expectedMs(kind: ReplyKind, now: number): number | undefined {
    const times = this.#times.get(kind) ?? this.#times.get('small')
    const usual = times?.within(expectedShare)
    if (usual === undefined || this.#silentSince === undefined) return usual
    return Math.max(usual, now - this.#silentSince)
  }

  /** Milliseconds after which a reply of this kind is late. */
  lateMs(kind: ReplyKind): number {
    const times = this.#times.get(kind)
    if (times === undefined) return unknownLateMs
    const usual = times.count < fewReplies ? 2 * times.within(1) : times.within(lateShare)
    const most = Math.min(mostLateMs, 2 * times.within(expectedShare) + leastLateMs)
    return Math.max(leastLateMs, Math.min(most, usual))
  }

  /**
   * Whether to probe the scan: it has been idle for long enough, or its latest replies do not show whether it
   * answers reads.
   */
  isProbeDue(probeIntervalMs: number): boolean {
    const afterMs = this.probeAfterMs(probeIntervalMs)
    return this.idleMs >= afterMs || (this.#isDoubted && this.#clock.now() - this.#lastProbed >= afterMs)
  }

  /**
   * Milliseconds that the scan must be idle before the next probe: short after the first fault, then doubling
   * with every further fault, up to `probeIntervalMs`.
   */
  probeAfterMs(probeIntervalMs: number): number {
    return this.isFailing
      ? Math.min(probeIntervalMs, firstProbeMs * 2 ** (this.#faults - 1))
      : probeIntervalMs
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
