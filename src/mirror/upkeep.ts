import type { Clock } from '../lib/clock.ts'

export interface UpkeepDeps {
  readonly clock: Clock
  /** Learns how far the ledger has come. */
  readonly learnTime: (signal: AbortSignal) => Promise<void>
  /** Checks that the ledger still runs packages that this release knows. */
  readonly checkRules: () => Promise<void>
  /** Compares one mirrored name with a live read. */
  readonly checkName: (signal: AbortSignal) => Promise<void>
}

/**
 * Looks after the mirror between snapshots, once in each interval. A task that fails is repeated in the next interval.
 */
export class Upkeep implements AsyncDisposable {
  readonly #intervalMs: number
  readonly #deps: UpkeepDeps
  readonly #closing = new AbortController()
  #cancel: (() => void) | undefined
  #running: Promise<unknown> | undefined

  constructor(intervalMs: number, deps: UpkeepDeps) {
    this.#intervalMs = intervalMs
    this.#deps = deps
  }

  start(): void {
    this.#cancel = this.#deps.clock.after(this.#intervalMs, () => {
      this.#running ??= this.#round().finally(() => {
        this.#running = undefined
      })
      this.start()
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new Error('the mirror is closing'))
    this.#cancel?.()
    await this.#running
  }

  #round(): Promise<unknown> {
    const { learnTime, checkRules, checkName } = this.#deps
    const { signal } = this.#closing
    return Promise.allSettled([learnTime(signal), checkRules(), checkName(signal)])
  }
}
