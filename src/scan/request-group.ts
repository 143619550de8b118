import type { Clock } from '../lib/clock.ts'
import { Deadlines } from '../lib/deadlines.ts'

/** A request in flight, as its group sees it. */
export interface Grouped {
  /** Ends the request because its time is up. */
  expire(): void
  /** Ends the request because the group's signal aborted, with the signal's reason. */
  abort(reason: unknown): void
}

/**
 * The requests in flight of one read, or of one caller that is no read. The group ends each request when its
 * time is up, and all of them when the signal aborts, with one timer and one listener for all.
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

  /** Does nothing for a request that is not in the group. */
  remove(request: Grouped): void {
    this.#requests.remove(request)
    if (this.#requests.isEmpty) this.signal.removeEventListener('abort', this)
  }

  /** `AbortSignal` calls this when it aborts. */
  handleEvent(): void {
    for (const request of this.#requests.items) request.abort(this.signal.reason)
  }
}

const once = { once: true }
