import type { ReceiptMemory } from './memory.ts'
import type { ReceiptSignature } from './receipt-signature.ts'
import { ReceiptRefusal } from './refusals.ts'
import type { ProvenName } from './set-check.ts'
import type { ReceiptTerms } from './terms.ts'

/** What a verified statement is held against. Times are seconds since 1970. */
export interface ExpectedTerms {
  readonly now: number
  readonly skew: number
  /** The most seconds since the answer was true. */
  readonly maxAge: number
  readonly threshold: number
  readonly operators: number
  /** The digests of the rosters that the caller pinned. */
  readonly rosters: readonly string[] | undefined
  readonly memory: ReceiptMemory | undefined
}

/** The longest life of a receipt: no client that is offline learns of a stolen key. */
const longestLife = 24 * 60 * 60

/** The end of the year 9999. */
const lastTime = 253_402_300_799

/**
 * Holds the times against the clock.
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
 * Holds the end of a proven entry against the clock.
 * @throws ReceiptRefusal
 */
export function requireUnended({ ends }: Pick<ProvenName, 'ends'>, { now, skew }: ExpectedTerms): void {
  if (ends !== undefined && ends < now - skew)
    throw new ReceiptRefusal('expired', { expires: isoTime(ends), now: isoTime(now) })
}

/**
 * Holds who agreed against what the caller wants.
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
 * Holds roster and time against what was pinned or seen.
 * @param question the question as a memory knows it
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

/** Formats seconds since 1970. */
export function isoTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(/\.\d+Z$/, 'Z')
}
