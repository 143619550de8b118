/** Who stood behind an answer: what the `x-bft-quorum` and `x-bft-agreed` headers say. */
export interface Agreement {
  /** Names of the super validators in the winning group, sorted by code point. */
  readonly agreed: readonly string[]
  readonly threshold: number
  /** How many were asked by the time of the verdict. */
  readonly asked: number
  /** n: every name in the roster, reachable or not. */
  readonly voters: number
  /** Set where operators are configured (quorum.md 3). */
  readonly operators?: { readonly agreed: number; readonly threshold: number; readonly voters: number }
  /** False for a list agreed item by item (quorum.md 14). */
  readonly complete: boolean
  /** False below f+1, at f = 0 and for `trust-single` (quorum.md 4). */
  readonly protected: boolean
}

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
