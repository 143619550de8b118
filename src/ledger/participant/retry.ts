import type { Clock } from '../../lib/clock.ts'

const firstPauseMs = 250
const longestPauseMs = 4_000

/** Tries in a row that came to nothing, and the pauses between them. */
export class Tries {
  readonly #clock: Clock
  readonly #most: number
  #failed = 0

  constructor(most: number, clock: Clock) {
    this.#most = most
    this.#clock = clock
  }

  /** Whether the next to fail is the last. */
  get areUp(): boolean {
    return this.#failed + 1 >= this.#most
  }

  /** One came to something. */
  succeeded(): void {
    this.#failed = 0
  }

  /** Resolves when it is time to try again; throws the error where it was the last try. */
  async failed(error: unknown, signal: AbortSignal): Promise<void> {
    if (++this.#failed >= this.#most) throw error
    await pause(Math.min(firstPauseMs * 2 ** (this.#failed - 1), longestPauseMs), this.#clock, signal)
  }
}

async function pause(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const cancel = clock.after(ms, resolve)
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    await promise
  } finally {
    cancel()
    signal.removeEventListener('abort', abort)
  }
}
