import type { Clock } from '../../lib/clock.ts'
import { LedgerUnavailable } from '../ledger.ts'

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
