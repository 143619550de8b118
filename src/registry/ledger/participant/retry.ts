import type { Clock } from '../../../base/lib/clock.ts'
import { passing } from '../../../base/lib/passing.ts'
import { LedgerUnavailable } from '../ledger.ts'

const firstPauseMs = 250
const longestPauseMs = 4_000

export class Tries {
  readonly #clock: Clock
  readonly #most: number
  #failed = 0

  constructor(most: number, clock: Clock) {
    this.#most = most
    this.#clock = clock
  }

  get isLast(): boolean {
    return this.#failed + 1 >= this.#most
  }

  async failed(error: unknown, signal: AbortSignal): Promise<void> {
    if (++this.#failed >= this.#most) throw error
    signal.throwIfAborted()
    await passing(Math.min(firstPauseMs * 2 ** (this.#failed - 1), longestPauseMs), this.#clock, signal)
    signal.throwIfAborted()
  }
}

class Expired extends Error {}

export class Deadline implements Disposable {
  readonly signal: AbortSignal
  readonly #failure: string
  readonly #ms: number
  readonly #cancel: () => void

  /** @param failure the beginning of the error message: `The participant gave no answer`. */
  constructor(failure: string, ms: number, clock: Clock, signals: readonly AbortSignal[]) {
    const expiry = new AbortController()
    this.#failure = failure
    this.#ms = ms
    this.#cancel = clock.after(ms, () => expiry.abort(new Expired()))
    this.signal = AbortSignal.any([expiry.signal, ...signals])
  }

  /**
   * Returns the error to throw in place of `error`: a timeout, the reason of the signal that
   * aborted, or `error` as a `LedgerUnavailable`.
   */
  explain(error: unknown): unknown {
    if (this.signal.aborted) {
      const { reason } = this.signal
      return reason instanceof Expired
        ? new LedgerUnavailable(`${this.#failure} within ${this.#ms} ms.`, { cause: error })
        : reason
    }
    if (error instanceof LedgerUnavailable) return error
    return new LedgerUnavailable(`${this.#failure}: ${describe(error)}`, { cause: error })
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
