import type { Clock } from '../lib/clock.ts'
import type { Random } from '../lib/random.ts'

const firstRetryMs = 500
const longestRetryMs = 30_000

export interface RefreshScheduleDeps {
  readonly clock: Clock
  readonly random: Random
}

export class RefreshSchedule {
  readonly #intervalMs: number
  readonly #deps: RefreshScheduleDeps
  #failures = 0
  #cancel: (() => void) | undefined

  constructor(intervalMs: number, deps: RefreshScheduleDeps) {
    this.#intervalMs = intervalMs
    this.#deps = deps
  }

  /**
   * Schedules the next attempt: after the interval, or sooner if the last attempt failed.
   * @param done whether the last attempt succeeded.
   */
  next(done: boolean, attempt: () => void): void {
    const { clock, random } = this.#deps
    this.#failures = done ? 0 : this.#failures + 1
    const backoffMs = firstRetryMs * 2 ** Math.min(this.#failures - 1, 10)
    const retryMs = Math.min(longestRetryMs, this.#intervalMs, backoffMs)
    const afterMs = done ? this.#intervalMs * (0.9 + 0.2 * random()) : retryMs * (0.5 + random() / 2)
    this.#cancel = clock.after(afterMs, attempt)
  }

  cancel(): void {
    this.#cancel?.()
    this.#failures = 0
  }
}
