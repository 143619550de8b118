import { lastTime, type ReceiptMemory } from './memory.ts'
import { ReceiptRefusal } from './refusals.ts'
import type { ReceiptSignature } from './signature-check.ts'
import type { ReceiptTerms } from './terms.ts'

/** The requirements of a verifier for a signed statement. All times are in seconds since 1970. */
export interface ExpectedTerms {
  readonly now: number
  readonly skew: number
  readonly maxAge: number
  /** Whether a receipt that has expired is refused. */
  readonly current: boolean
  readonly threshold: number
  readonly operators: number
  readonly rosters: readonly string[] | undefined
  readonly memory: ReceiptMemory | undefined
}

/**
 * The longest lifetime of a receipt, in seconds. It is short because an offline verifier does not
 * learn that a key was stolen.
 */
const longestLife = 24 * 60 * 60

export function requireTimes(
  { created, expires }: ReceiptSignature,
  { at, asOf = at }: Pick<ReceiptTerms, 'at' | 'asOf'>,
  { now, skew, maxAge, current }: ExpectedTerms,
): void {
  const ordered = [0, asOf, at, created, expires, lastTime]
  const isOrdered = ordered.every((time, index) => index === 0 || (ordered[index - 1] as number) <= time)
  if (!isOrdered || expires - created > longestLife) throw new ReceiptRefusal('impossibleTimes')
  const clock = isoTime(now)
  if (created > now + skew)
    throw new ReceiptRefusal('fromTheFuture', { created: isoTime(created), now: clock })
  if (current && expires < now - skew)
    throw new ReceiptRefusal('expired', { expires: isoTime(expires), now: clock })
  if (now - asOf > maxAge)
    throw new ReceiptRefusal('tooOld', { at: isoTime(asOf), seconds: maxAge, now: clock })
}

/**
 * Both the thresholds in the receipt and those of the verifier must be met.
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
 * Refuses an answer that was true before an answer that was already accepted. `created` cannot show
 * this: all answers older than the key have the start of the key as `created`.
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

export function isoTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(/\.\d+Z$/, 'Z')
}
