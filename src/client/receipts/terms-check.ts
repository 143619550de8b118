import type { ReceiptMemory } from './memory.ts'
import type { ReceiptSignature } from './receipt-signature.ts'
import { ReceiptRefusal } from './refusals.ts'
import type { ProvenName } from './set-check.ts'
import type { ReceiptTerms } from './terms.ts'

/** The caller's requirements of a verified statement. Times are seconds since 1970. */
export interface ExpectedTerms {
  readonly now: number
  /** The most seconds by which the daemon's clock and this one may differ. */
  readonly skew: number
  /** The most seconds since the answer was true. */
  readonly maxAge: number
  readonly threshold: number
  readonly operators: number
  /**
   * The digests of the rosters that the caller pinned. If undefined, `memory` decides; without one, all are accepted.
   */
  readonly rosters: readonly string[] | undefined
  readonly memory: ReceiptMemory | undefined
}

/**
 * The longest life of a receipt, in seconds. It is short because a client that is offline does not learn of a stolen
 * key.
 */
const longestLife = 24 * 60 * 60

/** The end of the year 9999, in seconds since 1970. */
const lastTime = 253_402_300_799

/**
 * Checks that the times are in order, and that the receipt is valid and recent enough now.
 * @throws ReceiptRefusal
 */
export function requireTimes(
  { created, expires }: ReceiptSignature,
  { at, asOf = at }: Pick<ReceiptTerms, 'at' | 'asOf'>,
  { now, skew, maxAge }: ExpectedTerms,
): void {
  const ordered = [0, asOf, at, created, expires, lastTime]
  const isOrdered = ordered.every((time, index) => index === 0 || (ordered[index - 1] as number) <= time)
  if (!isOrdered || expires - created > longestLife) throw new ReceiptRefusal('impossibleTimes')
  const clock = isoTime(now)
  if (created > now + skew)
    throw new ReceiptRefusal('fromTheFuture', { created: isoTime(created), now: clock })
  if (expires < now - skew) throw new ReceiptRefusal('expired', { expires: isoTime(expires), now: clock })
  if (now - asOf > maxAge + skew)
    throw new ReceiptRefusal('tooOld', { at: isoTime(asOf), seconds: maxAge, now: clock })
}

/**
 * Checks that a proven entry has not ended.
 * @throws ReceiptRefusal
 */
export function requireUnended({ ends }: Pick<ProvenName, 'ends'>, { now, skew }: ExpectedTerms): void {
  if (ends !== undefined && ends < now - skew)
    throw new ReceiptRefusal('expired', { expires: isoTime(ends), now: isoTime(now) })
}

/**
 * Checks that enough super validators and operators agreed, by the receipt's thresholds and by the caller's.
 * @throws ReceiptRefusal
 */
export function requireAgreement(terms: ReceiptTerms, wanted: ExpectedTerms): void {
  const { agreed, threshold, operators = 0, operatorThreshold = 0 } = terms
  if (threshold < wanted.threshold)
    throw new ReceiptRefusal('thresholdTooLow', { threshold, wanted: wanted.threshold })
  const distinct = new Set(agreed).size
  if (distinct < agreed.length || distinct < Math.max(1, threshold))
    throw new ReceiptRefusal('tooFewAgreed', { threshold })
  if (operators < Math.max(wanted.operators, operatorThreshold) || operators > distinct)
    throw new ReceiptRefusal('tooFewOperators', {
      operators,
      wanted: Math.max(wanted.operators, operatorThreshold),
    })
}

/**
 * Checks that the roster was pinned, or accepted before, and that the receipt is not older than one that was accepted.
 * @param question the question, as the key of `ReceiptMemory`.
 * @throws ReceiptRefusal
 */
export function requireNotReplayed(
  { created, keyid }: ReceiptSignature,
  { roster }: ReceiptTerms,
  question: string,
  { rosters, memory }: ExpectedTerms,
): void {
  const remembered = memory?.rosterOf(keyid)
  const accepted = rosters ?? (remembered === undefined ? [roster] : [remembered])
  if (!accepted.includes(roster)) throw new ReceiptRefusal('otherRoster', { roster })
  const seen = memory?.newest(keyid, question)
  if (seen !== undefined && created < seen)
    throw new ReceiptRefusal('olderThanSeen', { seen: isoTime(seen), created: isoTime(created) })
}

/** Returns a time, given in seconds since 1970, in ISO 8601 without a fraction. */
export function isoTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(/\.\d+Z$/, 'Z')
}
