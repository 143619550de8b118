import { CantonError, PlainError } from '../errors/canton.ts'
import type { Element, Elements } from '../ledger/update-service.ts'
import type { Clock } from '../lib/clock.ts'

export interface Collecting {
  /** As the caller has it; undefined for none. */
  readonly limit: number | undefined
  /** The setting: no answer has more. */
  readonly most: number
  /** It is complete when nothing came for so long; undefined: when there is nothing more. */
  readonly idleMs: number | undefined
}

/** As a participant's `request-timeout`. */
export const timeoutMs = 20_000

/**
 * Gathers the elements of a list, one more than may be answered at most, so that what is too much is known before the
 * first byte (JsonListLimitTest.scala).
 *
 * @param stop makes `elements` end.
 * @throws CantonError `tooManyElements`, PlainError `timedOut`, and what reading throws.
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
    // What it was waiting for may never come; it ends when the signal is heard.
    void Promise.resolve(iterator.return?.()).catch(() => {})
  }
  if (collected.length > most)
    throw new CantonError('tooManyElements', { count: collected.length, limit: most })
  return collected
}

/** Undefined where so much time passes first. */
export async function within<T>(promise: Promise<T>, ms: number, clock: Clock): Promise<T | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>()
  const cancel = clock.after(Math.max(0, ms), () => resolve(undefined))
  // Its own failure is told where it is waited for; once it is late, nobody does.
  promise.catch(() => {})
  try {
    return await Promise.race([promise, late])
  } finally {
    cancel()
  }
}
