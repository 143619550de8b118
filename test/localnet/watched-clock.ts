import { ManualClock } from '../support/manual-clock.ts'

/** `nextTimer` resolves when code begins to wait, so that a test advances the clock neither too early nor too late. */
export class WatchedClock extends ManualClock {
  #waiters: (() => void)[] = []

  override after(ms: number, run: () => void): () => void {
    const cancel = super.after(ms, run)
    for (const wake of this.#waiters.splice(0)) wake()
    return cancel
  }

  nextTimer(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiters.push(resolve)
    return promise
  }
}
