import type { ReplyTimes } from './reply-times.ts'

/**
 * Two shares of a scan's recent replies, from 0 to 1.
 * - `expectedShare`: a reply is expected within the time in which this share of the recent replies arrived.
 * - `lateShare`: a reply is late after the time in which this share of the recent replies arrived.
 */
const expectedShare = 0.75
const lateShare = 0.95
/**
 * If fewer reply times than this are known, `lateShare` is not used. A reply is then late after twice the
 * longest known time, within the bounds of the function `lateMs`.
 */
const fewReplies = 8
/**
 * The bounds of the time after which a reply is late, in milliseconds. Without the upper bound, a slow liar
 * could make the daemon wait longer and longer.
 */
const leastLateMs = 10
const mostLateMs = 2_000
/**
 * The time in milliseconds after which a reply is late, if no reply time of this scan is known for the same
 * class of replies.
 */
const unknownLateMs = 250

export function expectedMs(times: ReplyTimes): number {
  return times.within(expectedShare)
}

/**
 * Returns the milliseconds after which the next reply counts as late. The result is at least `leastLateMs`.
 * It is at most `mostLateMs`, and at most 2 * expected time + `leastLateMs`.
 * @param times the times of earlier replies; undefined if there was none.
 */
export function lateMs(times: ReplyTimes | undefined): number {
  if (times === undefined) return unknownLateMs
  const usual = times.count < fewReplies ? 2 * times.within(1) : times.within(lateShare)
  const most = Math.min(mostLateMs, 2 * expectedMs(times) + leastLateMs)
  return Math.max(leastLateMs, Math.min(most, usual))
}
