/** So many jobs a turn: a fraction of a millisecond. */
const jobsAtOnce = 8

/**
 * Jobs that are done in the order in which they came, a few in each turn of the event loop: whoever else wants something
 * of the thread, a request above all, is not kept waiting for all of them.
 */
export class InPortions {
  #jobs: (() => void)[] = []
  #isDue = false

  /** The first of them are done before this returns, unless others are waiting. No job may throw. */
  add(jobs: readonly (() => void)[]): void {
    for (const job of jobs) this.#jobs.push(job)
    if (!this.#isDue) this.#doSome()
  }

  /** Does at once whatever is waiting. */
  finish(): void {
    for (const job of this.#jobs.splice(0)) job()
  }

  #doSome(): void {
    this.#isDue = true
    for (const job of this.#jobs.splice(0, jobsAtOnce)) job()
    this.#isDue = this.#jobs.length > 0
    if (this.#isDue) setImmediate(() => this.#doSome())
  }
}
