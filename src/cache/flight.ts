import type { Generation } from './generations.ts'

/**
 * One load and all who wait for it. Those who leave are told at once; the last one to leave ends it, unless it is held
 * by a refresh, which nobody waits for.
 */
export class Flight<T> {
  readonly generation: Generation
  readonly #source = new AbortController()
  readonly #landed: Promise<T>
  readonly #abandoned: () => void
  #holders = 0

  /**
   * @param run is called at once, with what aborts when nobody waits any more.
   * @param abandoned is called when the last holder has left, before the signal aborts.
   */
  constructor(generation: Generation, run: (source: AbortController) => Promise<T>, abandoned: () => void) {
    this.generation = generation
    this.#abandoned = abandoned
    this.#landed = run(this.#source)
    // Whoever still waits hears of a failure; when nobody does it is nobody's.
    this.#landed.catch(() => {})
  }

  /** Holds it for as long as it takes. */
  hold(): Promise<T> {
    this.#holders += 1
    return this.#landed
  }

  /** Waits for it until `signal` aborts; then rejects with the signal's reason. */
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
