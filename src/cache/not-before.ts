import type { Moment } from '../lib/clock.ts'

/**
 * Converts `notBefore` to a value of `Clock.now()`: the caller accepts only stored answers that were agreed
 * at this time or later. If `notBefore` is the present millisecond or later, returns infinity, so that no
 * stored answer is accepted: every stored answer was agreed before the caller asked.
 * @param notBefore milliseconds since 1970; undefined if the caller accepts any age.
 */
export function earliestAgreed(notBefore: number | undefined, { now, wall }: Moment): number {
  if (notBefore === undefined) return Number.NEGATIVE_INFINITY
  return notBefore < wall ? now - (wall - notBefore) : Number.POSITIVE_INFINITY
}

/**
 * Whether a caller can use the answer of a load that is already running. True if the load began at
 * `notBefore` or later. Wall clocks count whole milliseconds, so a load that began in the same millisecond
 * also counts. If `notBefore` is in the future, the present time counts instead.
 * @param begunAt when the load began, as a value of `Clock.now()`.
 * @param notBefore the earliest time that the caller accepts, in milliseconds since 1970.
 */
export function beganSince(begunAt: number, notBefore: number, { now, wall }: Moment): boolean {
  return begunAt > now - Math.max(0, wall - notBefore) - 1
}
