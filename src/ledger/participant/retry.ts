import type { Clock } from '../../lib/clock.ts'
import { LedgerUnavailable } from '../ledger.ts'

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

class Expired extends Error {}

/** The time that something may take, and the signals that end it sooner. */
export class Deadline implements Disposable {
  readonly signal: AbortSignal
  readonly #what: string
  readonly #ms: number
  readonly #cancel: () => void

  /** @param what came about where the time ran out: `The participant gave no answer`. */
  constructor(what: string, ms: number, clock: Clock, signals: readonly AbortSignal[]) {
    const expiry = new AbortController()
    this.#what = what
    this.#ms = ms
    this.#cancel = clock.after(ms, () => expiry.abort(new Expired()))
    this.signal = AbortSignal.any([expiry.signal, ...signals])
  }

  /** What it means that this was thrown meanwhile. */
  explain(error: unknown): unknown {
    if (this.signal.aborted) {
      const { reason } = this.signal
      return reason instanceof Expired
        ? new LedgerUnavailable(`${this.#what} within ${this.#ms} ms.`, { cause: error })
        : reason
    }
    if (error instanceof LedgerUnavailable) return error
    return new LedgerUnavailable(`${this.#what}: ${describe(error)}`, { cause: error })
  }

  [Symbol.dispose](): void {
    this.#cancel()
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code } = error as NodeJS.ErrnoException
  return code === undefined ? error.message : `${error.message} (${code})`
}
