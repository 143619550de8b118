import type { Clock } from '../lib/clock.ts'
import { Deadlines } from '../lib/deadlines.ts'

/** A request in flight, with the methods by which its group ends it early. */
export interface Grouped {
  /** Ends the request because its time is up. */
  expire(): void
  /** Ends the request because the group's signal aborted, with the signal's reason. */
  abort(reason: unknown): void
}

/**
 * The requests in flight of one read, or of one other task such as a probe. The group ends each request when
 * its time is up, and all of them when the signal aborts. All requests share one timer and one listener.
 */
export class RequestGroup {
  readonly signal: AbortSignal
  readonly #requests: Deadlines<Grouped>

  constructor(signal: AbortSignal, clock: Clock) {
    this.signal = signal
    this.#requests = new Deadlines(clock, (request) => request.expire())
  }

  add(request: Grouped, timeoutMs: number): void {
    if (this.#requests.isEmpty) this.signal.addEventListener('abort', this, once)
    this.#requests.add(request, timeoutMs)
  }

  /** Removes a request that has ended. Does nothing if the request is not in the group. */
  remove(request: Grouped): void {
    this.#requests.remove(request)
    if (this.#requests.isEmpty) this.signal.removeEventListener('abort', this)
  }

  /** Aborts all requests. `AbortSignal` calls this method when it aborts. */
  handleEvent(): void {
    for (const request of this.#requests.items) request.abort(this.signal.reason)
  }
}

const once = { once: true }
