import { systemClock } from '../lib/clock.ts'
import { KeepAlive } from '../lib/keep-alive.ts'
import { ClientError } from './client-error.ts'

export interface TimedAsk {
  /** The address of the daemon, for the error. */
  readonly base: string
  /** Returns the subject of the timeout error, such as `the token function`; `base` by default. */
  readonly waitsFor?: () => string
  /** The longest time, in milliseconds, for the whole response including its body. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

const keepAlive = new KeepAlive()

/**
 * Calls `ask` with a new signal. The new signal aborts after `timeoutMs` with a ClientError `unreachable`, or
 * earlier together with the given `signal` and with its reason. Until `ask` ends, the process stays alive,
 * even if only the timer can end `ask`.
 */
export async function inTime<Result>(
  { base, waitsFor = () => base, timeoutMs, signal }: TimedAsk,
  ask: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const source = new AbortController()
  const late = () =>
    source.abort(
      new ClientError('unreachable', `${waitsFor()} gave no complete answer within ${timeoutMs} ms`),
    )
  const leave = () => source.abort(signal?.reason)
  if (signal?.aborted) leave()
  signal?.addEventListener('abort', leave)
  const cancel = systemClock.after(timeoutMs, late)
  try {
    return await keepAlive.during(() => ask(source.signal))
  } finally {
    cancel()
    signal?.removeEventListener('abort', leave)
  }
}
