import type { Clock } from '../lib/clock.ts'
import { ReplyTimes } from '../scan/reply-times.ts'

/**
 * The work on pages takes about a tenth of the main thread's time: each pause is nine times as long
 * as the work before it.
 */
const pausesPerWork = 9
/**
 * The longest pause. On a busy machine, the measured work includes time in which the thread did not
 * run, and a pause of nine times that time would be too long.
 */
const longestPauseMs = 500

/**
 * Slows a drain, which reads a whole snapshot page by page, so that lookups stay fast. All scans of
 * one drain share one pace.
 */
export class DrainPace {
  readonly #clock: Pick<Clock, 'now'>
  #dueAt = Number.NEGATIVE_INFINITY

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  get isDue(): boolean {
    return this.#clock.now() >= this.#dueAt
  }

  worked(since: number): void {
    const now = this.#clock.now()
    this.#dueAt = Math.max(this.#dueAt, now) + Math.min(longestPauseMs, (now - since) * pausesPerWork)
  }
}

/** The share of pages, from 0 to 1, that arrived within the usual time. */
const usualShare = 0.75
/** A page is late after this time while no scan has sent a page. */
const unknownLateMs = 5_000
const leastLateMs = 1_000
const mostLateMs = 30_000

/** The times that the pages of one drain took, of all its scans. */
export class PageTimes {
  readonly #times = new ReplyTimes()

  add(ms: number): void {
    this.#times.add(ms)
  }

  get lateMs(): number {
    if (this.#times.count === 0) return unknownLateMs
    return Math.max(leastLateMs, Math.min(mostLateMs, 2 * this.#times.within(usualShare)))
  }
}
