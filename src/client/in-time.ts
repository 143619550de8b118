import { systemClock } from '../lib/clock.ts'
import { KeepAlive } from '../lib/keep-alive.ts'
import { ClientError } from './client-error.ts'

export interface TimedAsk {
  /** The address of the daemon, for the error. */
  readonly base: string
  /** Returns the words for what is waited for, for the error; `base` by default. */
  readonly waitsFor?: () => string
  /** The longest time, in milliseconds, for the whole response including its body. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

const keepAlive = new KeepAlive()

/**
 * Calls `ask` with a new signal, which aborts after `timeoutMs` or together with the given `signal`. Its
 * reason is a ClientError `unreachable` after `timeoutMs`, otherwise the reason of the given signal. The process
 * stays alive meanwhile, even if nothing but the timer can end `ask`.
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
