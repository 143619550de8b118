import type { Clock } from './clock.ts'

/** Resolves after this time, or as soon as the signal aborts. */
export function passing(ms: number, clock: Pick<Clock, 'after'>, signal?: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const over = () => resolve()
  const cancel = clock.after(ms, over)
  signal?.addEventListener('abort', over, { once: true })
  if (signal?.aborted === true) over()
  return promise.finally(() => {
    cancel()
    signal?.removeEventListener('abort', over)
  })
}
