import type { Lifetime } from '../cache/answer.ts'
import type { Served } from '../cache/answers.ts'
import { milliseconds } from '../lib/clock.ts'
import type { ProvableSet } from './provable-set.ts'

/** The longest time for which a receipt is valid, in milliseconds. */
export const longestReceiptMs = milliseconds('24h')

/** The milliseconds for which a receipt is valid if no cache may store its answer. */
const unstoredMs = milliseconds('1m')

/**
 * Returns how long a receipt is valid, in milliseconds, if its answer is not from the mirror. If the answer
 * ends earlier, the receipt ends with it.
 */
export function liveReceiptMs(lifetime: Lifetime | undefined): number {
  return Math.min(lifetime?.staleMs ?? unstoredMs, longestReceiptMs)
}

/**
 * Returns how long the receipt of an answer is valid, in milliseconds. If the answer ends earlier, the
 * receipt ends with it. An answer from the mirror says what was true at `asOf.at`, and that stays true. Its
 * receipt is therefore valid for the longest time.
 */
export function receiptMs({ asOf, lifetime }: Pick<Served, 'asOf' | 'lifetime'>): number {
  return asOf === undefined ? liveReceiptMs(lifetime) : longestReceiptMs
}

/** Returns the time at which all signed statements about a set of names expire: milliseconds since 1970. */
export function endOfSet({ at }: Pick<ProvableSet, 'at'>): number {
  return at + longestReceiptMs
}
