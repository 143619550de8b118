import type { Clock } from '../lib/clock.ts'

export interface UpkeepDeps {
  readonly clock: Clock
  readonly learnTime: (signal: AbortSignal) => Promise<void>
  readonly checkRules: () => Promise<void>
  readonly checkName: (signal: AbortSignal) => Promise<void>
}

/**
 * Runs three tasks for the mirror in each interval. A failed task is ignored, because it runs again
 * in the next interval.
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
