import type { Clock } from '../lib/clock.ts'
import { ReplyTimes } from './reply-times.ts'

/** A reply is expected within the time that this share of the last ones took, and late after the time of this other share. */
const expectedShare = 0.75
const lateShare = 0.95
/** Fewer replies than this do not tell what is late: twice the longest of them is. */
const fewReplies = 8
/** No reply is late before, and none is waited for much longer than expected: or liars could teach patience. */
const leastLateMs = 10
const mostLateMs = 2_000
/** Where nothing like it was asked before. */
const unknownLateMs = 250

/** How much the newest observation weighs. */
const gain = 0.2
const firstProbeMs = 1_000

/**
 * What is like what: small answers take as long as each other on the way, and each kind of large answer as long as itself.
 * The id of a read of large answers, else `small`.
 */
export type ReplyKind = string

/**
 * How a scan has been doing, as far as choosing whom to ask goes: reply times and faults, never agreement
 * (quorum.md#agreement-never-chooses), or liars could steer who is asked.
 */
export class Health {
  readonly #clock: Clock
  readonly #times = new Map<ReplyKind, ReplyTimes>()
  #availability = 1
  #lastAsked: number
  #reachable: boolean | undefined
  /** Since it last answered a read. */
  #faults = 0
  #lastHeard = Number.NEGATIVE_INFINITY
  /** When the first ask went out that is late, as long as nothing was heard of it since; else undefined. */
  #silentSince: number | undefined

  constructor(clock: Clock) {
    this.#clock = clock
    this.#lastAsked = clock.now()
  }

  /** An ask or a probe is on its way. */
  asked(now = this.#clock.now()): void {
    this.#lastAsked = now
  }

  /** It answered a read. */
  answered(tookMs: number, kind: ReplyKind): void {
    this.#faults = 0
    this.#heard(tookMs, kind)
  }

  /** It answered something that says nothing about reads. */
  probed(tookMs: number): void {
    this.#heard(tookMs, 'small')
  }

  /** It did not answer, or not as a scan does. */
  failed(): void {
    this.#faults++
    this.throttled()
    this.#lastHeard = this.#clock.now()
  }

  /** It wants to be asked less. */
  throttled(): void {
    this.#silentSince = undefined
    this.#reachable = false
    this.#availability -= gain * this.#availability
  }

  /** An ask that went out then is later than usual. */
  late(askedAt: number): void {
    if (askedAt >= this.#lastHeard) this.#silentSince ??= askedAt
  }

  /** Whether the last ask or probe succeeded; undefined before the first. */
  get reachable(): boolean | undefined {
    return this.#reachable
  }

  /** Whether its last ask failed, and it has answered nothing since. */
  get isFailing(): boolean {
    return this.#faults > 0 && this.#reachable === false
  }

  /** Between 0 and 1, smoothed. */
  get availability(): number {
    return this.#availability
  }

  /** Milliseconds since the last ask or probe began. */
  get idleMs(): number {
    return this.#clock.now() - this.#lastAsked
  }

  /**
   * Milliseconds from an ask to its reply, and no less than it has been silent for by now; undefined before its first
   * reply.
   */
  expectedMs(kind: ReplyKind, now: number): number | undefined {
    const times = this.#times.get(kind) ?? this.#times.get('small')
    const usual = times?.within(expectedShare)
    if (usual === undefined || this.#silentSince === undefined) return usual
    return Math.max(usual, now - this.#silentSince)
  }

  /** Milliseconds after which its reply is late. */
  lateMs(kind: ReplyKind): number {
    const times = this.#times.get(kind)
    if (times === undefined) return unknownLateMs
    const usual = times.count < fewReplies ? 2 * times.within(1) : times.within(lateShare)
    const most = Math.min(mostLateMs, 2 * times.within(expectedShare) + leastLateMs)
    return Math.max(leastLateMs, Math.min(most, usual))
  }

  /** After how many idle milliseconds it is to be probed: soon after its first fault, and then ever later. */
  probeAfterMs(probeIntervalMs: number): number {
    return this.isFailing
      ? Math.min(probeIntervalMs, firstProbeMs * 2 ** (this.#faults - 1))
      : probeIntervalMs
  }

  #heard(tookMs: number, kind: ReplyKind): void {
    this.#lastHeard = this.#clock.now()
    this.#silentSince = undefined
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
