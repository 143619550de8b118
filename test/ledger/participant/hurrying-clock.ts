import { setImmediate } from 'node:timers'
import { ManualClock } from '../../support/manual-clock.ts'

/** The milliseconds from which a wait is a time-out. Shorter waits are pauses between attempts. */
const shortestTimeoutMs = 5_000

/** A clock on which pauses between attempts end at once, and time-outs only when the test moves the time. */
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
