import { CantonError, PlainError } from '../errors/canton.ts'
import type { Element, Elements } from '../ledger/update-service.ts'
import type { Clock } from '../lib/clock.ts'

export interface Collecting {
  /** The maximum number of elements that the caller wants. Undefined if the caller set no limit. */
  readonly limit: number | undefined
  /** The configured maximum number of elements in an answer. A longer list is an error. */
  readonly most: number
  /**
   * The list is complete when no new element has arrived for this many milliseconds. If undefined, the list
   * is complete when the source ends.
   */
  readonly idleMs: number | undefined
}

/**
 * The longest time for collecting a list, in milliseconds. It equals the default `request-timeout` of a
 * Canton participant.
 */
export const timeoutMs = 20_000

/**
 * Collects the elements of a list, up to the limit of the caller. A list with more than `most` elements is an
 * error. The list is complete before the first byte of the answer is sent, so this error can still become the
 * answer (JsonListLimitTest.scala).
 * @param stop ends the source of `elements`. It is called when the list is complete or has failed.
 * @throws CantonError `tooManyElements`, PlainError `timedOut`, and the errors of `elements`.
 */
export async function collect(
  elements: Elements,
  { limit, most, idleMs = Number.POSITIVE_INFINITY }: Collecting,
  clock: Clock,
  stop: () => void,
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
    // `return()` is not awaited: it would wait for a pending `next()`, which may never resolve. `stop()` has
    // already told the source to end.
    void Promise.resolve(iterator.return?.()).catch(() => {})
  }
  if (collected.length > most)
    throw new CantonError('tooManyElements', { count: collected.length, limit: most })
  return collected
}

/** Waits for a promise, but at most `ms` milliseconds. Resolves with undefined if the time passes first. */
export async function within<T>(promise: Promise<T>, ms: number, clock: Clock): Promise<T | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>()
  const cancel = clock.after(Math.max(0, ms), () => resolve(undefined))
  // `Promise.race` reports a rejection that comes in time. This handler prevents an unhandled rejection if
  // `promise` rejects after the timeout.
  promise.catch(() => {})
  try {
    return await Promise.race([promise, late])
  } finally {
    cancel()
  }
}
