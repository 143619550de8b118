import type { Moment } from '../lib/clock.ts'

/**
 * Returns the earliest time at which the caller's answer may have been agreed, as a value of `Clock.now()`.
 * It is infinite if no stored answer will do. That is so if `notBefore` is the present millisecond or later:
 * an answer that was agreed just now was agreed before the caller asked.
 * @param notBefore milliseconds since 1970; undefined if the caller accepts any age.
 */
export function earliestAgreed(notBefore: number | undefined, { now, wall }: Moment): number {
  if (notBefore === undefined) return Number.NEGATIVE_INFINITY
  return notBefore < wall ? now - (wall - notBefore) : Number.POSITIVE_INFINITY
}

/**
 * Whether a caller can use the answer of a load that is already running, because the load began at the
 * caller's time or later. Wall clocks count whole milliseconds, so a load that began in the caller's own
 * millisecond is late enough. A time in the future counts as now.
 * @param begunAt when the load began, as a value of `Clock.now()`.
 * @param notBefore the caller's time, in milliseconds since 1970.
 */
export function beganSince(begunAt: number, notBefore: number, { now, wall }: Moment): boolean {
  return begunAt > now - Math.max(0, wall - notBefore) - 1
}
