import type { Agreement } from '../cache/agreement.ts'
import type { MirrorBasis, MirrorClaim } from '../cache/as-of.ts'

/**
 * Describes an answer from a mirror, for which no super validator was asked: when it was true, and what it
 * claims.
 */
export interface MirroredAsOf {
  /**
   * When the answer was true, by the ledger's record time. It is accurate to the second if a daemon reported
   * it.
   */
  readonly at: Date
  readonly claim: MirrorClaim
  readonly basis: MirrorBasis
  /** The number of the mirror's set of names. It grows by one with each further set. */
  readonly generation: number
}

/** Where an answer comes from. Every answer has these members. */
interface Provenance {
  /** Which super validators agreed, and out of how many. */
  readonly agreement: Agreement
  /**
   * When the quorum agreed, by this machine's clock. It is accurate to the second if a daemon reported it.
   */
  readonly agreedAt: Date
  /** SHA-256 of the agreed bytes, in base64url. Equal answers have equal digests. */
  readonly digest: string
  /** When the answer was true; present only if it is from a mirror. */
  readonly asOf?: MirroredAsOf
  /** Present if a daemon reports that its network is a localnet, whose ledger is worth nothing. */
  readonly network?: 'localnet'
}

/** An answer: the value on which a quorum agreed. */
export interface AgreedValue<Value> extends Provenance {
  readonly kind: 'value'
  readonly value: Value
}

/**
 * An answer: the refusal on which a quorum agreed. The thing does not exist (404), or scans cannot answer the
 * question (400, 409, 410, 422).
 */
export interface AgreedAbsence extends Provenance {
  readonly kind: 'absence'
  readonly value: undefined
  readonly status: number
  /** The text of the refusal, as the scans gave it. */
  readonly error: string
}

/** The answer on which a quorum of super validators agreed: a value or a refusal. */
export type Answered<Value> = AgreedValue<Value> | AgreedAbsence
