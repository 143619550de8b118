import type { Lifetime } from '../cache/answer.ts'
import type { Served } from '../cache/answers.ts'
import { milliseconds } from '../lib/clock.ts'
import type { ProvableSet } from './provable-set.ts'

/** The longest time for which a receipt is valid, in milliseconds. */
export const longestReceiptMs = milliseconds('24h')

/** The milliseconds for which a receipt is valid if no cache may store its answer. */
const unstoredMs = milliseconds('1m')

/**
 * Returns the milliseconds for which the receipt of a live answer is valid. If the answer itself ends
 * earlier, so does its receipt.
 */
export function liveReceiptMs(lifetime: Lifetime | undefined): number {
  return Math.min(lifetime?.staleMs ?? unstoredMs, longestReceiptMs)
}

/**
 * Returns the milliseconds for which the receipt of an answer is valid. If the answer itself ends earlier, so
 * does its receipt. A mirrored answer states what was true at `asOf.at`. That statement stays true, so its
 * receipt is valid for the longest time.
 */
export function receiptMs({ asOf, lifetime }: Pick<Served, 'asOf' | 'lifetime'>): number {
  return asOf === undefined ? liveReceiptMs(lifetime) : longestReceiptMs
}

/** Returns the time at which all signed statements about a set of names expire: milliseconds since 1970. */
export function endOfSet({ at }: Pick<ProvableSet, 'at'>): number {
  return at + longestReceiptMs
}
