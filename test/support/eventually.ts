import { setImmediate } from 'node:timers/promises'
import type { ManualClock } from './manual-clock.ts'

/**
 * Resolves once the condition holds, looking again whenever the event loop has gone round: for what other ends of
 * real sockets do in their own time. Bounded by the time-out of the test.
 */
export async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await setImmediate()
}

/** What a promise comes to that waits for time to pass, which goes on by steps of 100 ms until then. */
export async function asTimePasses<T>(clock: ManualClock, promise: Promise<T>): Promise<T> {
  let isOver = false
  const over = () => {
    isOver = true
  }
  promise.then(over, over)
  await eventually(() => {
    if (!isOver) clock.advance(100)
    return isOver
  })
  return promise
}
