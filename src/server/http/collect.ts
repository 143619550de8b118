import { CantonError, PlainError } from '../../base/errors/canton.ts'
import type { Clock } from '../../base/lib/clock.ts'
import type { Elements } from '../../registry/ledger/api/feed.ts'
import type { Element } from '../../registry/ledger/api/print.ts'

export interface Collecting {
  readonly limit: number | undefined
  readonly most: number
  /**
   * If no element arrives for this time, the list is complete. If undefined, the list is complete
   * only when the source ends.
   */
  readonly idleMs: number | undefined
}

/**
 * The longest time to collect a list, in milliseconds. It equals the default `request-timeout` of a
 * Canton participant.
 */
export const timeoutMs = 20_000

/**
 * Collects the whole list before the first byte is sent, so that an error such as `tooManyElements`
 * can still become the answer (JsonListLimitTest.scala).
 */
export async function collect(
  elements: Elements,
  { limit, most, idleMs = Number.POSITIVE_INFINITY }: Collecting,
  clock: Clock,
  stop: () => void = () => {},
): Promise<readonly Element[]> {
  const wanted = Math.min(limit ?? most + 1, most + 1)
  const collected: Element[] = []
  const iterator = elements[Symbol.asyncIterator]()
  const deadline = clock.now() + timeoutMs
  try {
    while (collected.length < wanted) {
      const left = deadline - clock.now()
      const next = await within(iterator.next(), Math.min(idleMs, left), clock)
      if (next === undefined && idleMs > left) throw new PlainError('timedOut')
      if (next === undefined || next.done === true) break
      collected.push(...next.value.slice(0, wanted - collected.length))
    }
  } finally {
    stop()
    // `return()` is not awaited: it would wait for a pending `next()`, which may never resolve.
    void Promise.resolve(iterator.return?.()).catch(() => {})
  }
  if (collected.length > most)
    throw new CantonError('tooManyElements', { count: collected.length, limit: most })
  return collected
}

export async function within<T>(promise: Promise<T>, ms: number, clock: Clock): Promise<T | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>()
  const cancel = clock.after(Math.max(0, ms), () => resolve(undefined))
  // Without this handler, a rejection after the timeout would be unhandled.
  promise.catch(() => {})
  try {
    return await Promise.race([promise, late])
  } finally {
    cancel()
  }
}
