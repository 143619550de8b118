import type { Agreement } from './agreement.ts'
import type { AnswerProvenance } from './provenance.ts'

/** An agreed answer: an HTTP status and the exact bytes. Immutable. */
export interface Answer {
  /** `value` for the status 200; `absence` for every agreed refusal. */
  readonly kind: 'value' | 'absence'
  readonly status: number
  /** A JSON text in UTF-8. */
  readonly body: Buffer
  /** SHA-256 of `body`, base64url. */
  readonly digest: string
  readonly agreement: Agreement
  /**
   * The time at which the body stops being true, in milliseconds since 1970, as the read's function `cache.ends`
   * computes it. Absent if the body does not expire.
   */
  readonly endsAt?: number
  /**
   * The replies that voters had given when the quorum agreed. Present only if receipts are signed; never stored in
   * Redis.
   */
  readonly provenance?: AnswerProvenance
}

/** The milliseconds for which an answer may be served, counted from the moment at which it was agreed. */
export interface Lifetime {
  /** Up to this age, the answer is served without a refresh. */
  readonly freshMs: number
  /** Up to this age, the answer is served while a refresh runs; beyond it, never. It is at least `freshMs`. */
  readonly staleMs: number
}
