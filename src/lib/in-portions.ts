/**
 * The time for which jobs run in one turn of the event loop, in milliseconds. A request waits about that long at
 * most, plus the time of one job.
 */
const portionMs = 0.1

/**
 * Runs jobs in order. In each turn of the event loop it runs only a portion of them, so that requests need
 * not wait for all jobs. The portion includes the continuations that a job causes in the same turn; these end
 * before the next job starts.
 */
export class InPortions {
  #jobs: (() => void)[] = []
  #isDue = false
  #until = 0

  /**
   * Adds jobs. If no other jobs are waiting, the first one runs before this method returns. Jobs must not
   * throw.
   */
  add(jobs: readonly (() => void)[]): void {
    for (const job of jobs) this.#jobs.push(job)
    if (!this.#isDue) this.#begin()
  }

  /** Runs all waiting jobs at once. */
  finish(): void {
    for (const job of this.#jobs.splice(0)) job()
  }

  readonly #begin = () => {
    this.#isDue = true
    this.#until = performance.now() + portionMs
    this.#doOne()
  }

  readonly #doOne = () => {
    this.#jobs.shift()?.()
    if (this.#jobs.length === 0) this.#isDue = false
    else if (performance.now() >= this.#until) setImmediate(this.#begin)
    // `nextTick` inside a microtask runs after all pending microtasks.
    else queueMicrotask(() => process.nextTick(this.#continue))
  }

  readonly #continue = () => {
    if (performance.now() >= this.#until) setImmediate(this.#begin)
    else this.#doOne()
  }
}
