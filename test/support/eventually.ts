import { setImmediate, setTimeout } from 'node:timers/promises'
import type { ManualClock } from './manual-clock.ts'

interface Patience {
  /** The default is shorter than the time-out of a test, so that the error names the condition. */
  readonly limitMs?: number
}

export const whileElecting: Patience = { limitMs: 120_000 }

const quickLooks = 20
const longestPauseMs = 10

/**
 * Resolves when `holds` returns true. The first checks come in successive turns of the event loop. Later checks come
 * after pauses, so that other processes can run.
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
 * Rejects if a timer of `ms` milliseconds fires first. A slow machine delays the timer as well as the promise, because
 * both run in this process.
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
