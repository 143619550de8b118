import { setImmediate, setTimeout } from 'node:timers/promises'
import type { ManualClock } from './manual-clock.ts'

interface Patience {
  /** Milliseconds; shorter than the time-out of a test, so that the message tells what did not happen. */
  readonly limitMs?: number
}

/** Where servers elect a new master. */
export const whileElecting: Patience = { limitMs: 120_000 }

const quickLooks = 20
const longestPauseMs = 10

/**
 * Resolves once the condition holds: for what other ends of real sockets do in their own time. It looks twenty times in
 * as many turns of the event loop, then with pauses of up to 10 ms, so that what it waits for has the processor.
 * Rejects with the condition's source when it does not hold within the limit.
 */
export async function eventually(
  holds: () => boolean | Promise<boolean>,
  { limitMs = 15_000 }: Patience = {},
): Promise<void> {
  const began = performance.now()
  for (let looks = 0; !(await holds()); looks++) {
    if (performance.now() - began > limitMs) {
      const condition = holds.toString().replaceAll(/\s+/g, ' ')
      throw new Error(`After ${limitMs} ms this still does not hold: ${condition}`)
    }
    if (looks < quickLooks) await setImmediate()
    else await setTimeout(Math.min(looks - quickLooks + 1, longestPauseMs))
  }
}

/** What a promise comes to that waits for time to pass, which goes on by steps of 100 ms until then. */
export async function asTimePasses<T>(clock: ManualClock, promise: Promise<T>): Promise<T> {
  let isOver = false
  const over = () => {
    isOver = true
  }
  promise.then(over, over)
  const began = performance.now()
  while (!isOver) {
    if (performance.now() - began > 15_000) throw new Error('After 15 s of steps of 100 ms it still waits.')
    clock.advance(100)
    await setTimeout(1)
  }
  return promise
}

/**
 * What a promise comes to; rejects if a timer that starts at the same moment ends before it. An order of events in one
 * process: a machine that is slow delays both.
 */
export async function soonerThan<T>(ms: number, promise: Promise<T>): Promise<T> {
  const stopped = new AbortController()
  const late = setTimeout(ms, undefined, { signal: stopped.signal }).then(() => {
    throw new Error(`A timer of ${ms} ms ended first.`)
  })
  late.catch(() => {})
  try {
    return await Promise.race([promise, late])
  } finally {
    stopped.abort()
  }
}
