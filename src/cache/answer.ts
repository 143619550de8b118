import type { Agreement } from './agreement.ts'

/** What a quorum said: an HTTP status and the exact bytes. Never changed after it was made. */
export interface Answer {
  /** `value` for 2xx; `absence` for every agreed refusal. */
  readonly kind: 'value' | 'absence'
  readonly status: number
  /** JSON in UTF-8. */
  readonly body: Buffer
  /** SHA-256 of `body`, base64url. */
  readonly digest: string
  readonly agreement: Agreement
  /** The earliest `expires_at` inside, milliseconds since 1970; absent where nothing ends. */
  readonly endsAt?: number
}

/** How long one answer may be served, from the moment it was agreed. */
export interface Lifetime {
  /** Served as it is until this age. */
  readonly freshMs: number
  /** Served while a refresh runs until this age, then to nobody. At least `freshMs`. */
  readonly staleMs: number
}
