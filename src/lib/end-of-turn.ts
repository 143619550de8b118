/**
 * Runs the first job of an event-loop turn at once, and all later ones together at the turn's end.
 * For example, each job writes to another socket. A local process that reads from these sockets
 * then wakes up twice per turn instead of once per socket.
 */
export class EndOfTurn {
  #jobs: (() => void)[] = []
  #isDue = false

  /** Jobs must not throw. */
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
