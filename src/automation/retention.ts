import type { Micros } from '../ledger/value.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../telemetry/logger.ts'

export interface Prunable {
  /**
   * Returns the offset of the last update that is not later than `recordTime`. If that update is
   * pruned, returns the offset of the last pruned update.
   */
  offsetAt(recordTime: Micros): Promise<number>
  prune(upTo: number): Promise<number>
}

export interface RetentionDeps {
  readonly ledger: Prunable
  readonly clock: Clock
  readonly logger: Logger
}

const prunesPerPeriod = 10
const longestPauseMs = 3_600_000

export class Retention implements AsyncDisposable {
  readonly #retainMs: number
  readonly #deps: RetentionDeps
  #running: Promise<void>
  #stop: () => void = () => {}
  #stopped = false

  constructor(retainMs: number, deps: RetentionDeps) {
    this.#retainMs = retainMs
    this.#deps = deps
    this.#running = this.#run()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true
    this.#stop()
    await this.#running
  }

  async #run(): Promise<void> {
    const { ledger, clock, logger } = this.#deps
    try {
      const before = Math.floor((clock.wall() - this.#retainMs) * 1000)
      await ledger.prune(await ledger.offsetAt(before))
    } catch (error) {
      logger.warn({ err: error }, 'what the ledger need not retain could not be pruned')
    }
    if (this.#stopped) return
    const pause = Math.min(longestPauseMs, Math.ceil(this.#retainMs / prunesPerPeriod))
    this.#stop = clock.after(pause, () => {
      this.#running = this.#run()
    })
  }
}
