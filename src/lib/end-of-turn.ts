/**
 * Jobs of one turn of the event loop: the first is done at once, the others together when the turn ends. For writing to
 * many sockets: whoever reads them in one process of this machine is woken twice in a turn, and not once for each.
 */
export class EndOfTurn {
  #jobs: (() => void)[] = []
  #isDue = false

  /** No job may throw. */
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
