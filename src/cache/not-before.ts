import type { Moment } from '../lib/clock.ts'

/**
 * Returns the time on the scale of `Clock.now()` before which a stored answer is too old for the
 * caller. The result is infinity if `notBefore` is not in the past.
 * @param notBefore milliseconds since 1970; undefined if the caller accepts any age.
 */
export function earliestAgreed(notBefore: number | undefined, { now, wall }: Moment): number {
  if (notBefore === undefined) return Number.NEGATIVE_INFINITY
  return notBefore < wall ? now - (wall - notBefore) : Number.POSITIVE_INFINITY
}

/**
 * Whether a running load began late enough for a caller who wants no answer from before
 * `notBefore`. If `notBefore` is in the future, the present millisecond is late enough.
 * @param begunAt a value of `Clock.now()`.
 * @param notBefore milliseconds since 1970.
 */
export function beganSince(begunAt: number, notBefore: number, { now, wall }: Moment): boolean {
  return begunAt > now - Math.max(0, wall - notBefore) - 1
}
