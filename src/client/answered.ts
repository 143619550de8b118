import type { Agreement } from '../core/cache/agreement.ts'
import type { MirrorBasis, MirrorClaim } from '../core/cache/as-of.ts'

/**
 * Says when an answer of a mirror was true, and where it came from. A mirror is a daemon's copy of
 * the ledger's names. No super validator was asked for such an answer.
 */
export interface MirroredAsOf {
  /**
   * The ledger's time at which the answer was true. If a daemon answered, it is accurate to the
   * second.
   */
  readonly at: Date
  readonly claim: MirrorClaim
  readonly basis: MirrorBasis
  /** The number of the mirror's snapshot of names. Each new snapshot has the next number. */
  readonly generation: number
}

interface Provenance {
  /** The super validators that agreed, how many had to agree, and how many there are. */
  readonly agreement: Agreement
  /**
   * The time at which the quorum agreed, by this machine's clock. If a daemon answered, it is
   * accurate to the second. If a mirror answered, it is the time of the answer, and `asOf` says when
   * that was true.
   */
  readonly agreedAt: Date
  /** SHA-256 of the agreed bytes, in base64url. Equal answers have equal digests. */
  readonly digest: string
  /** When the answer was true, and its source. Only an answer from a mirror has this field. */
  readonly asOf?: MirroredAsOf
  /**
   * Present only if the daemon's network is a localnet. The answer then says nothing about a real
   * network.
   */
  readonly network?: 'localnet'
}

export interface GivenValue<Value> {
  readonly kind: 'value'
  readonly value: Value
  /**
   * `status` and `error` are always absent from a value. They are declared so that programs can
   * destructure an answer before they know its kind.
   */
  readonly status?: undefined
  readonly error?: undefined
}

export interface GivenAbsence {
  readonly kind: 'absence'
  readonly value: undefined
  readonly status: number
  /** The error text of the scans. */
  readonly error: string
}

/** A value on which a quorum of super validators agreed. */
export type AgreedValue<Value> = GivenValue<Value> & Provenance

/**
 * A refusal on which a quorum agreed: for status 404, the object does not exist; for 400, 409, 410
 * and 422, the scans reject the question.
 */
export type AgreedAbsence = GivenAbsence & Provenance

/** The answer on which a quorum of super validators agreed: a value or a refusal. */
export type Answered<Value> = AgreedValue<Value> | AgreedAbsence
