/**
 * Batches jobs. In each turn of the event loop, the first job runs immediately. All later jobs run together
 * at the end of the turn. If the jobs write to many sockets of one local process, that process wakes up twice
 * per turn instead of once per socket.
 */
export class EndOfTurn {
  #jobs: (() => void)[] = []
  #isDue = false

  /**
   * Adds a job. The first job of a turn runs before this method returns, and any other at the end of the
   * turn. Jobs must not throw.
   */
  add(job: () => void): void {
    if (this.#isDue) {
      this.#jobs.push(job)
      return
    }
    this.#isDue = true
    setImmediate(this.#end)
    job()
  }

  readonly #end = () => {
    this.#isDue = false
    const jobs = this.#jobs
    if (jobs.length === 0) return
    this.#jobs = []
    for (const job of jobs) job()
  }
}
