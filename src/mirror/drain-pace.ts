import type { Clock } from '../lib/clock.ts'

/** The milliseconds for which a drain pauses after each millisecond of work on pages. */
const pausesPerWork = 9
/**
 * The longest pause after one piece of work, in milliseconds. On a busy machine, the measured time of the
 * work includes time in which the thread did not run. Without a limit, pauses would get too long there.
 */
const longestPauseMs = 500

/**
 * Slows down a drain, so that the main thread spends most of its time on lookups. All scans of one drain
 * share one pace.
 */
export class DrainPace {
  readonly #clock: Pick<Clock, 'now'>
  #dueAt = Number.NEGATIVE_INFINITY

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  /** Whether the next page may be requested. */
  get isDue(): boolean {
    return this.#clock.now() >= this.#dueAt
  }

  /**
   * Records that work on a page has just ended.
   * @param since the value of `Clock.now()` when the work began.
   */
  worked(since: number): void {
    const now = this.#clock.now()
    this.#dueAt = Math.max(this.#dueAt, now) + Math.min(longestPauseMs, (now - since) * pausesPerWork)
  }
}
