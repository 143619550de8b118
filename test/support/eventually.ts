import { setImmediate } from 'node:timers/promises'

/**
 * Resolves once the condition holds, looking again whenever the event loop has gone round: for what other ends of
 * real sockets do in their own time. Bounded by the time-out of the test.
 */
export async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await setImmediate()
}
