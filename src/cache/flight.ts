import type { Generation } from './generations.ts'

/**
 * A single flight: one load and all callers that wait for it. A caller that leaves is rejected at once. When
 * the last caller leaves, the load ends, unless a refresh holds it.
 */
export class Flight<T> {
  readonly generation: Generation
  readonly #source = new AbortController()
  readonly #landed: Promise<T>
  readonly #abandoned: () => void
  #holders = 0

  /**
   * @param run called at once. Its controller aborts when no caller waits any more.
   * @param abandoned called when the last holder has left, before the signal aborts.
   */
  constructor(generation: Generation, run: (source: AbortController) => Promise<T>, abandoned: () => void) {
    this.generation = generation
    this.#abandoned = abandoned
    this.#landed = run(this.#source)
    // Waiting callers handle a failure themselves. Without them, this prevents an unhandled rejection.
    this.#landed.catch(() => {})
  }

  /** Joins the load without a way to leave it. */
  hold(): Promise<T> {
    this.#holders += 1
    return this.#landed
  }

  /** Waits for the load until `signal` aborts; then rejects with the signal's reason. */
  join(signal: AbortSignal): Promise<T> {
    const landed = this.hold()
    return new Promise((resolve, reject) => {
      const leave = () => {
        reject(signal.reason)
        this.#leave(signal.reason)
      }
      signal.addEventListener('abort', leave, { once: true })
      landed.then(
        (value) => {
          signal.removeEventListener('abort', leave)
          resolve(value)
        },
        (error: unknown) => {
          signal.removeEventListener('abort', leave)
          reject(error)
        },
      )
    })
  }

  abort(reason: unknown): void {
    this.#source.abort(reason)
  }

  #leave(reason: unknown): void {
    this.#holders -= 1
    if (this.#holders > 0) return
    this.#abandoned()
    this.abort(reason)
  }
}
