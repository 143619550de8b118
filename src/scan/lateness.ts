import type { ReplyTimes } from './reply-times.ts'

/**
 * Shares of a scan's recent replies, from 0 to 1. The daemon expects a reply within the time in
 * which `expectedShare` of these replies arrived. A reply is late after the time in which
 * `lateShare` of these replies arrived.
 */
const expectedShare = 0.75
const lateShare = 0.95
/** With fewer known reply times than this, a reply is late after twice the longest known time. */
const fewReplies = 8
/**
 * The bounds of the time after which a reply is late. Without the upper bound, a slow liar could
 * make the daemon wait longer and longer.
 */
const leastLateMs = 10
const mostLateMs = 2_000
const unknownLateMs = 250

export function usualMs(times: ReplyTimes): number {
  return times.within(expectedShare)
}

export function lateAfterMs(times: ReplyTimes | undefined): number {
  if (times === undefined) return unknownLateMs
  const usual = times.count < fewReplies ? 2 * times.within(1) : times.within(lateShare)
  const most = Math.min(mostLateMs, 2 * usualMs(times) + leastLateMs)
  return Math.max(leastLateMs, Math.min(most, usual))
}
