import type { Moment } from '../../base/lib/clock.ts'
import type { InvalidationPoint } from './invalidations.ts'

/** A caller that waits for a load. */
export interface FlightCaller {
  /** Calls `left` with the reason if the caller stops waiting. A call after the load does nothing. */
  whenLeft?(left: (reason: unknown) => void): void
}

export interface LoadStart {
  readonly point: InvalidationPoint
  readonly begunAt: Moment
  readonly notBefore: number | undefined
  /** When a later load of the same key began. */
  laterLoadBeganAt: Moment | undefined
}

/**
 * A single flight: one load, and all callers that wait for it. The load is aborted when the last
 * caller stops waiting. A refresh counts as a caller that never stops.
 */
export class Flight<T> {
  readonly start: LoadStart
  #load: RunningLoad<T> | undefined
  #holders = 0

  /**
   * @param run starts the load, at once. Its `source` is aborted when no caller waits any more, or
   * by `abort`.
   * @param abandoned called when the last caller stops waiting, before `source` is aborted.
   */
  constructor(start: LoadStart, run: (source: AbortController) => Promise<T>, abandoned: () => void) {
    this.start = start
    const source = new AbortController()
    const landed = run(source)
    this.#load = { source, landed, abandoned }
    const end = () => {
      this.#load = undefined
    }
    landed.then(end, end)
  }

  hold(): Promise<T> {
    if (this.#load === undefined) throw new Error('this load has ended')
    this.#holders += 1
    return this.#load.landed
  }

  join(waiter: FlightCaller): Promise<T> {
    const landed = this.hold()
    if (waiter.whenLeft === undefined) return landed
    return new Promise((resolve, reject) => {
      waiter.whenLeft?.((reason) => {
        reject(reason)
        this.#leave(reason)
      })
      landed.then(resolve, reject)
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
 * The parts of a flight that exist only while its load runs. The flight then drops them to free
 * memory, because a `Map` or `Set` can keep a deleted flight until the next major garbage
 * collection.
 */
interface RunningLoad<T> {
  readonly source: AbortController
  readonly landed: Promise<T>
  readonly abandoned: () => void
}
