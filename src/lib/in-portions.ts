/** A request that is answered at once waits for so much of it at most, give or take one job. */
const portionMs = 0.1

/**
 * Jobs that are done in the order in which they came, a portion in each turn of the event loop: whoever else wants
 * something of the thread, a request above all, is not kept waiting for all of them. What a job sets off in the same
 * turn, the continuations of what it resolves, is part of the portion and over before the next job.
 */
export class InPortions {
  #jobs: (() => void)[] = []
  #isDue = false
  #until = 0

  /** The first of them is done before this returns, unless others are waiting. No job may throw. */
  add(jobs: readonly (() => void)[]): void {
    for (const job of jobs) this.#jobs.push(job)
    if (!this.#isDue) this.#begin()
  }

  /** Does at once whatever is waiting. */
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
    // A tick that a microtask asks for comes when all microtasks are done.
    else queueMicrotask(() => process.nextTick(this.#continue))
  }

  readonly #continue = () => {
    if (performance.now() >= this.#until) setImmediate(this.#begin)
    else this.#doOne()
  }
}
