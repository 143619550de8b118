import type { Clock } from '../lib/clock.ts'

/** For each millisecond of work on pages, a drain pauses for this many. */
const pausesPerWork = 9
/** The longest pause for one piece of work: on a busy machine work takes longer than it keeps the thread busy. */
const longestPauseMs = 500

/** Leaves most of the main thread's time to lookups while a snapshot is drained. All scans of one drain share it. */
export class DrainPace {
  readonly #clock: Pick<Clock, 'now'>
  #dueAt = Number.NEGATIVE_INFINITY

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  /** Whether the next page may be asked for. */
  get isDue(): boolean {
    return this.#clock.now() >= this.#dueAt
  }

  /** Counts work on a page that began at this value of `Clock.now()` and ends now. */
  worked(since: number): void {
    const now = this.#clock.now()
    this.#dueAt = Math.max(this.#dueAt, now) + Math.min(longestPauseMs, (now - since) * pausesPerWork)
  }
}
