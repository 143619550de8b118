/**
 * Batches jobs in each turn of the event loop: the first one runs at once, the others together at the end of the turn.
 * If the jobs write to many sockets of one local process, that process wakes twice per turn instead of once per socket.
 */
export class EndOfTurn {
  #jobs: (() => void)[] = []
  #isDue = false

  /** Runs the turn's first job before it returns, and any other job at the end of the turn. Jobs must not throw. */
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
