import type { Agreement } from './agreement.ts'
import type { AnswerProvenance } from './provenance.ts'

/** An answer that a quorum agreed on: an HTTP status and the exact bytes of the body. Immutable. */
export interface Answer {
  /**
   * `value` has the status 200. `absence` is an agreed refusal, such as a 404 for an unknown name.
   */
  readonly kind: 'value' | 'absence'
  readonly status: number
  readonly body: Buffer
  /** The SHA-256 of `body`, as base64url. */
  readonly digest: string
  readonly agreement: Agreement
  /**
   * The time in milliseconds since 1970 from which the body is false, for example because a name
   * expires.
   */
  readonly endsAt?: number
  /** A text that sorts like the age of the value. Absent if the value does not show its age. */
  readonly version?: string
  /**
   * The votes behind the answer. Absent if the daemon signs no receipts. Redis never stores them.
   */
  readonly provenance?: AnswerProvenance
}

export interface Lifetime {
  readonly freshMs: number
  /**
   * The age up to which a value is served while a refresh runs. A time below `freshMs` counts as
   * `freshMs`.
   */
  readonly staleMs: number
}
