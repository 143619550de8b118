import type { Agreement } from '../cache/agreement.ts'
import type { MirrorBasis, MirrorClaim } from '../cache/as-of.ts'

/** The time and the source of an answer from a mirror. For such an answer, no super validator was asked. */
export interface MirroredAsOf {
  /** The record time at which the answer was true, accurate to the second if a daemon gave the answer. */
  readonly at: Date
  readonly claim: MirrorClaim
  readonly basis: MirrorBasis
  /** The number of the mirror's current snapshot of names. Each new snapshot has the next number. */
  readonly generation: number
}

/**
 * The origin of an answer: the super validators that agreed on it, when they agreed, and the mirror if a
 * mirror gave the answer.
 */
interface Provenance {
  /** The super validators that agreed, how many had to agree, and how many there are. */
  readonly agreement: Agreement
  /**
   * The time at which the quorum agreed, by this machine's clock. It is accurate to the second if a daemon
   * gave the answer.
   */
  readonly agreedAt: Date
  /** SHA-256 of the agreed bytes, in base64url. Equal answers have equal digests. */
  readonly digest: string
  /** The time and the source of the answer. Present only if a mirror gave the answer. */
  readonly asOf?: MirroredAsOf
  /**
   * Present if a daemon reports that its network is a localnet. The answer then says nothing about a real
   * network.
   */
  readonly network?: 'localnet'
}

/** An answer: the value on which a quorum agreed. */
export interface AgreedValue<Value> extends Provenance {
  readonly kind: 'value'
  readonly value: Value
  /** Always absent. Declared so that programs can destructure an answer before they know its kind. */
  readonly status?: undefined
  readonly error?: undefined
}

/**
 * An answer: the refusal on which a quorum agreed. For 404, the requested object does not exist. For 400,
 * 409, 410 and 422, the scans reject the question.
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
