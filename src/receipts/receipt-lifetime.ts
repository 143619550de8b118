import { milliseconds } from '../base/lib/clock.ts'
import type { Lifetime } from '../core/cache/answer.ts'
import type { Served } from '../core/cache/answers.ts'

export const longestReceiptMs = milliseconds('24h')

const unstoredMs = milliseconds('1m')

/**
 * Returns how long a receipt is valid if its answer is not from the mirror. The receipt ends
 * earlier if the answer does.
 */
export function liveReceiptMs(lifetime: Lifetime | undefined): number {
  return Math.min(lifetime?.staleMs ?? unstoredMs, longestReceiptMs)
}

/**
 * Returns how long a receipt is valid. The receipt of an answer from the mirror (the daemon's own
 * copy of the data) is valid for the longest time: it says what was true at `asOf.at`, and that
 * stays true.
 */
export function receiptMs({ asOf, lifetime }: Pick<Served, 'asOf' | 'lifetime'>): number {
  return asOf === undefined ? liveReceiptMs(lifetime) : longestReceiptMs
}
