import type { Moment } from '../lib/clock.ts'

/**
 * Returns the time, as a value of `Clock.now()`, before which a stored answer is too old for the caller.
 * Returns infinity if `notBefore` is the present millisecond or later: every stored answer is then too old.
 * @param notBefore milliseconds since 1970; undefined if the caller accepts any age.
 */
export function earliestAgreed(notBefore: number | undefined, { now, wall }: Moment): number {
  if (notBefore === undefined) return Number.NEGATIVE_INFINITY
  return notBefore < wall ? now - (wall - notBefore) : Number.POSITIVE_INFINITY
}

/**
 * Whether a caller can use the answer of a load that is already running. True if the load began in the
 * millisecond `notBefore` or later. If `notBefore` is in the future, true if the load began in the present
 * millisecond.
 * @param begunAt when the load began, as a value of `Clock.now()`.
 * @param notBefore the earliest time that the caller accepts, in milliseconds since 1970.
 */
export function beganSince(begunAt: number, notBefore: number, { now, wall }: Moment): boolean {
  return begunAt > now - Math.max(0, wall - notBefore) - 1
}
