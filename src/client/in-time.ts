import { systemClock } from '../base/lib/clock.ts'
import { KeepAlive } from '../base/lib/keep-alive.ts'
import { ClientError } from './client-error.ts'

export interface TimedAsk {
  readonly base: string
  readonly subject?: () => string
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

const keepAlive = new KeepAlive()

/**
 * Calls `ask` with a signal of its own. That signal aborts with a ClientError `unreachable` after
 * `timeoutMs`, or when the given `signal` aborts. Keeps the process alive until `ask` ends.
 */
export async function inTime<Result>(
  { base, subject = () => base, timeoutMs, signal }: TimedAsk,
  ask: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const source = new AbortController()
  const late = () =>
    source.abort(
      new ClientError('unreachable', `${subject()} gave no complete answer within ${timeoutMs} ms`),
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
