import type { Agreement } from './agreement.ts'

/** An agreed answer: an HTTP status and the exact bytes. Immutable. */
export interface Answer {
  /** `value` for 2xx; `absence` for every agreed refusal. */
  readonly kind: 'value' | 'absence'
  readonly status: number
  /** JSON in UTF-8. */
  readonly body: Buffer
  /** SHA-256 of `body`, base64url. */
  readonly digest: string
  readonly agreement: Agreement
  /**
   * When the body stops being true (the row's `cache.ends`), milliseconds since 1970; absent if it never
   * does.
   */
  readonly endsAt?: number
}

/** How long an answer may be served, counted from the moment of agreement. */
export interface Lifetime {
  /** Up to this age the answer is served without a refresh. */
  readonly freshMs: number
  /** Up to this age the answer is served while a refresh runs; after it, never. At least `freshMs`. */
  readonly staleMs: number
}
