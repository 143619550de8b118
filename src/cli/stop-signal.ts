import { systemClock } from '../base/lib/clock.ts'

export type StopSignal = 'SIGTERM' | 'SIGINT'

const signals = ['SIGTERM', 'SIGINT'] as const
const { promise, resolve } = Promise.withResolvers<StopSignal>()

/**
 * Resolves with the first SIGTERM or SIGINT. A second one ends the process at once, with exit code
 * 1.
 */
export function stopSignal(): Promise<StopSignal> {
  for (const signal of signals) replaceListeners(signal, stop)
  return promise
}

/** Never resolves in a process that has not called `stopSignal`. */
export const aSecondAfterStop = promise.then(
  () => new Promise<void>((resolve) => void systemClock.after(1_000, resolve)),
)

function stop(first: StopSignal): void {
  for (const signal of signals) replaceListeners(signal, () => process.exit(1))
  resolve(first)
}

/** Without any listener, even for a moment, Node forgets a signal that it has not yet delivered. */
function replaceListeners(signal: StopSignal, listener: (signal: StopSignal) => void): void {
  const former = process.listeners(signal)
  process.on(signal, listener)
  for (const each of former) process.off(signal, each)
}
