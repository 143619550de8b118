/**
 * Runs jobs in order, a portion of them in each turn of the event loop, so that incoming requests
 * need not wait for all jobs.
 */
export class InPortions {
  readonly #portionMs: number
  #jobs: (() => void)[] = []
  #isDue = false
  #until = 0

  /** @param portionMs a portion takes this many milliseconds, and the rest of its last job. */
  constructor(portionMs = 0.1) {
    this.#portionMs = portionMs
  }

  /** Jobs must not throw. If no jobs wait, the first one runs before this method returns. */
  add(jobs: readonly (() => void)[]): void {
    for (const job of jobs) this.#jobs.push(job)
    if (!this.#isDue) this.#begin()
  }

  finish(): void {
    for (const job of this.#jobs.splice(0)) job()
  }

  readonly #begin = () => {
    this.#isDue = true
    this.#until = performance.now() + this.#portionMs
    this.#doOne()
  }

  readonly #doOne = () => {
    this.#jobs.shift()?.()
    // The next job must run after all pending microtasks. A `nextTick` from a microtask waits until
    // none is left. A job that is added meanwhile belongs to this portion, too.
    queueMicrotask(() => process.nextTick(this.#continue))
  }

  readonly #continue = () => {
    if (this.#jobs.length === 0) this.#isDue = false
    else if (performance.now() >= this.#until) setImmediate(this.#begin)
    else this.#doOne()
  }
}
