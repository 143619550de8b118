import type { Agreement } from '../cache/agreement.ts'

/** What every answer says of itself. */
interface Provenance {
  /** Who stood behind it, and of how many. */
  readonly agreement: Agreement
  /** When the quorum agreed, by the clock of this machine; to the second where a daemon told it. */
  readonly agreedAt: Date
  /** SHA-256 of the bytes that were agreed on, base64url: equal for equal answers. */
  readonly digest: string
}

/** A quorum said this. */
export interface AgreedValue<Value> extends Provenance {
  readonly kind: 'value'
  readonly value: Value
}

/** A quorum refused: there is no such thing (404), or what is asked makes no sense to scans (400, 409, 410, 422). */
export interface AgreedAbsence extends Provenance {
  readonly kind: 'absence'
  readonly value: undefined
  readonly status: number
  /** In the words of the scans. */
  readonly error: string
}

/** What a quorum of super validators agrees on. */
export type Answered<Value> = AgreedValue<Value> | AgreedAbsence
