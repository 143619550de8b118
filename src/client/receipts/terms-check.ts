import { lastTime, type ReceiptMemory } from './memory.ts'
import type { ReceiptSignature } from './receipt-signature.ts'
import { ReceiptRefusal } from './refusals.ts'
import type { ProvenName } from './set-check.ts'
import type { ReceiptTerms } from './terms.ts'

/**
 * The requirements of a verifier for a signed statement, beyond a valid signature. Times are seconds since
 * 1970.
 */
export interface ExpectedTerms {
  readonly now: number
  /** The maximum number of seconds by which the clocks of the daemon and of this machine may differ. */
  readonly skew: number
  /** The maximum age of the answer: the seconds since it was true. `skew` is not added to this maximum. */
  readonly maxAge: number
  readonly threshold: number
  readonly operators: number
  /**
   * The digests of the rosters that the verifier accepts. If undefined, the verifier accepts only the roster
   * that `memory` has for the signing key. If `memory` has none, the verifier accepts any roster.
   */
  readonly rosters: readonly string[] | undefined
  readonly memory: ReceiptMemory | undefined
}

/**
 * The longest time from `created` to `expires`, in seconds. It is short because a verifier that is offline
 * does not learn that a key was stolen.
 */
const longestLife = 24 * 60 * 60

/**
 * Checks that:
 * - the times are in order
 * - the receipt is valid for at most `longestLife`
 * - the receipt is not from the future and has not expired
 * - the answer is at most `maxAge` old
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
  if (now - asOf > maxAge)
    throw new ReceiptRefusal('tooOld', { at: isoTime(asOf), seconds: maxAge, now: clock })
}

/**
 * Checks that a proven entry has not expired.
 * @throws ReceiptRefusal
 */
export function requireUnended({ ends }: Pick<ProvenName, 'ends'>, { now, skew }: ExpectedTerms): void {
  if (ends !== undefined && ends < now - skew)
    throw new ReceiptRefusal('expired', { expires: isoTime(ends), now: isoTime(now) })
}

/**
 * Checks that enough super validators and operators agreed. Both the thresholds in the receipt and the
 * thresholds of the verifier must be met.
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
 * Checks that the roster is accepted, and that the answer is not older than an accepted answer by this key to
 * this question. Compares the times at which the answers were true. `created` does not tell which answer is
 * newer: it is never before the time at which the key became valid, so all answers from before that time have
 * the same `created`.
 * @param question the question's key in `ReceiptMemory`.
 * @throws ReceiptRefusal
 */
export function requireNotReplayed(
  { keyid }: ReceiptSignature,
  { roster, at, asOf = at }: ReceiptTerms,
  question: string,
  { rosters, memory }: ExpectedTerms,
): void {
  const remembered = memory?.rosterOf(keyid)
  const accepted = rosters ?? (remembered === undefined ? [roster] : [remembered])
  if (!accepted.includes(roster)) throw new ReceiptRefusal('otherRoster', { roster })
  const seen = memory?.newest(keyid, question)
  if (seen !== undefined && asOf < seen)
    throw new ReceiptRefusal('olderThanSeen', { seen: isoTime(seen), at: isoTime(asOf) })
}

/** Formats a time in seconds since 1970 as ISO 8601 without a fraction. */
export function isoTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(/\.\d+Z$/, 'Z')
}
