import type { Agreement } from '../cache/agreement.ts'
import type { MirrorBasis, MirrorClaim } from '../cache/as-of.ts'

/** The statement that an answer from a mirror makes. No super validator was asked for it. */
export interface MirroredAsOf {
  /** When the answer was true, by the ledger's record time. Accurate to the second if a daemon reported it. */
  readonly at: Date
  readonly claim: MirrorClaim
  readonly basis: MirrorBasis
  /** Counts the sets that the mirror took. */
  readonly generation: number
}

/** Every answer has this part: where it comes from. */
interface Provenance {
  /** Who agreed, and out of how many. */
  readonly agreement: Agreement
  /** When the quorum agreed, by this machine's clock. Accurate to the second if a daemon reported it. */
  readonly agreedAt: Date
  /** SHA-256 of the agreed bytes in base64url. Equal answers have equal digests. */
  readonly digest: string
  /** Set if the answer is from a mirror. */
  readonly asOf?: MirroredAsOf
  /** Set if a daemon says that its network is a localnet, whose ledger is worth nothing. */
  readonly network?: 'localnet'
}

/** A quorum agreed on this value. */
export interface AgreedValue<Value> extends Provenance {
  readonly kind: 'value'
  readonly value: Value
}

/** A quorum refused: the thing does not exist (404), or scans cannot answer the question (400, 409, 410, 422). */
export interface AgreedAbsence extends Provenance {
  readonly kind: 'absence'
  readonly value: undefined
  readonly status: number
  /** The scans' own text. */
  readonly error: string
}

/** The agreed answer of a quorum of super validators. */
export type Answered<Value> = AgreedValue<Value> | AgreedAbsence
