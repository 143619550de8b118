import { setImmediate } from 'node:timers'
import { ManualClock } from '../../support/manual-clock.ts'

/** Shorter waits are pauses. */
const shortestTimeoutMs = 5_000

/** Pauses between tries are over at once; time-outs come when the test moves the time. */
export class HurryingClock extends ManualClock {
  override after(ms: number, run: () => void): () => void {
    if (ms >= shortestTimeoutMs) return super.after(ms, run)
    let cancelled = false
    setImmediate(() => {
      if (!cancelled) run()
    })
    return () => {
      cancelled = true
    }
  }
}
