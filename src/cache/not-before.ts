import { ageMs, type Moment } from '../lib/clock.ts'

/**
 * Whether an answer that was agreed at `agreedAt` is new enough for a caller who wants none from
 * before `notBefore`. No answer is if `notBefore` is not in the past.
 * @param notBefore milliseconds since 1970; undefined if the caller accepts any age.
 */
export function isAgreedSince(agreedAt: Moment, notBefore: number | undefined, at: Moment): boolean {
  if (notBefore === undefined) return true
  return notBefore < at.wall && ageMs(agreedAt, at) <= at.wall - notBefore
}

/**
 * Whether a running load began late enough for a caller who wants no answer from before
 * `notBefore`. If `notBefore` is in the future, the present millisecond is late enough.
 * @param notBefore milliseconds since 1970.
 */
export function beganSince(begunAt: Moment, notBefore: number, at: Moment): boolean {
  return ageMs(begunAt, at) < Math.max(0, at.wall - notBefore) + 1
}
