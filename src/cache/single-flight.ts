import type { InvalidationPoint } from './invalidations.ts'

/** The data about a load that decide which callers may join it, and whether its answer may be stored. */
export interface Departure {
  readonly point: InvalidationPoint
  /** The time at which the load began, as a value of `Clock.now()`. */
  readonly begunAt: number
  /**
   * The load accepts no stored answer that was agreed before this time, in milliseconds since 1970. Undefined if it
   * accepts any.
   */
  readonly notBefore: number | undefined
  /**
   * The time at which a later load of the same key began, as a value of `Clock.now()`. Undefined if no later load has
   * begun.
   */
  overtakenAt: number | undefined
}

/**
 * A single flight: one load and all callers that wait for it. If a caller stops waiting, its promise rejects at once.
 * When the last caller stops waiting, the load is aborted. A refresh counts as a caller that never stops waiting.
 */
export class Flight<T> {
  readonly departure: Departure
  #load: RunningLoad<T> | undefined
  #holders = 0

  /**
   * @param run starts the load; this constructor calls it. The controller `source` is aborted when no caller waits any
   * more.
   * @param abandoned called when the last caller has stopped waiting, before `source` is aborted.
   */
  constructor(departure: Departure, run: (source: AbortController) => Promise<T>, abandoned: () => void) {
    this.departure = departure
    const source = new AbortController()
    const landed = run(source)
    this.#load = { source, landed, abandoned }
    const end = () => {
      this.#load = undefined
    }
    landed.then(end, end)
  }

  /**
   * Waits for the load, and keeps it running even if all other callers stop waiting.
   * @throws Error if the load has ended.
   */
  hold(): Promise<T> {
    if (this.#load === undefined) throw new Error('this load has ended')
    this.#holders += 1
    return this.#load.landed
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
    this.#load?.source.abort(reason)
  }

  #leave(reason: unknown): void {
    this.#holders -= 1
    if (this.#holders > 0) return
    this.#load?.abandoned()
    this.abort(reason)
  }
}

/**
 * The parts of a flight that only a running load needs. The flight drops them when the load ends, to free
 * memory: a `Map` or `Set` can keep a deleted flight in its old table until the next major garbage
 * collection.
 */
interface RunningLoad<T> {
  readonly source: AbortController
  readonly landed: Promise<T>
  readonly abandoned: () => void
}
