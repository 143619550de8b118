/**
 * The time for which jobs run in one turn of the event loop, in milliseconds. An incoming request waits for that time
 * at most, plus the time of one job.
 */
const portionMs = 0.1

/**
 * Runs jobs in order. In each turn of the event loop it runs only a portion of them, so that incoming
 * requests need not wait for all jobs. If a job settles promises, their callbacks run before the next job
 * starts, and count towards the time of the portion.
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

  /** Runs all waiting jobs before it returns. */
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
    // The next job must run after all pending microtasks. If a microtask calls `nextTick`, Node runs the
    // callback only when no microtask is left.
    else queueMicrotask(() => process.nextTick(this.#continue))
  }

  readonly #continue = () => {
    if (performance.now() >= this.#until) setImmediate(this.#begin)
    else this.#doOne()
  }
}
