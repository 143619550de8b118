import { setImmediate } from 'node:timers'
import { ManualClock } from '../../support/manual-clock.ts'

/** The shortest wait that counts as a time-out, in milliseconds. A shorter wait is a pause between two attempts. */
const shortestTimeoutMs = 5_000

/** A clock on which pauses between attempts end at once. Time-outs end only when a test moves the clock. */
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
