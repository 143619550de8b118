import type { Moment } from '../lib/clock.ts'

/**
 * Converts the time of a caller that wants nothing older to the scale of `Clock.now()`. An answer that was agreed at
 * this very moment was agreed before the caller asked, so nothing stored satisfies a caller whose time is now.
 * @param notBefore milliseconds since 1970; undefined if the caller accepts any age.
 * @returns the earliest agreement that satisfies the caller; infinite if no stored answer does.
 */
export function earliestAgreed(notBefore: number | undefined, { now, wall }: Moment): number {
  if (notBefore === undefined) return Number.NEGATIVE_INFINITY
  return notBefore < wall ? now - (wall - notBefore) : Number.POSITIVE_INFINITY
}

/**
 * True if a load began late enough for a caller. Wall clocks count whole milliseconds, so a load that began in the
 * caller's own millisecond counts. A time in the future counts as now.
 * @param begunAt on `Clock.now()`.
 * @param notBefore milliseconds since 1970.
 */
export function beganSince(begunAt: number, notBefore: number, { now, wall }: Moment): boolean {
  return begunAt > now - Math.max(0, wall - notBefore) - 1
}
