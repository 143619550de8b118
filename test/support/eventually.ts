import { setImmediate, setTimeout } from 'node:timers/promises'
import type { ManualClock } from './manual-clock.ts'

interface Patience {
  /**
   * The most milliseconds to wait; 15,000 by default. It is less than the time-out of a test, so that the error
   * tells which condition did not hold.
   */
  readonly limitMs?: number
}

/** The patience for tests in which Redis servers elect a new master. */
export const whileElecting: Patience = { limitMs: 120_000 }

const quickLooks = 20
const longestPauseMs = 10

/**
 * Resolves when a condition holds. It is for conditions that other processes or sockets bring about in their
 * own time. The condition is checked in twenty turns of the event loop, and then after pauses of up to 10 ms,
 * so that other processes can use the processor. Rejects with the source code of the condition if it does not
 * hold within the limit.
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

/**
 * Waits for a promise that needs time to pass: moves the clock forward in steps of 100 ms until the promise
 * is done.
 */
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
 * Waits for a promise. Rejects if a timer that starts at the same moment fires first. Because promise and
 * timer are in one process, a slow machine delays both.
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
