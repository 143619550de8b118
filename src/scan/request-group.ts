import type { Clock } from '../lib/clock.ts'
import { Deadlines } from '../lib/deadlines.ts'

export interface Grouped {
  expire(): void
  abort(reason: unknown): void
}

/**
 * The requests in flight of one read, or of one other task such as a probe. All of them share one
 * timer and one listener on the signal, to save work.
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

  remove(request: Grouped): void {
    this.#requests.remove(request)
    if (this.#requests.isEmpty) this.signal.removeEventListener('abort', this)
  }

  /** `AbortSignal` calls this method when it aborts. */
  handleEvent(): void {
    for (const request of this.#requests.items) request.abort(this.signal.reason)
  }
}

const once = { once: true }
