import type { Clock } from '../lib/clock.ts'

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
