/** The super validators that could vote on an answer. `Roster` has this shape. */
export interface Electors {
  /** A hash of everything that an answer's worth depends on. */
  readonly trustDigest: string
  readonly set: {
    readonly dso: string
    readonly synchronizer: string
    readonly members: readonly { readonly name: string; readonly urls: readonly string[] }[]
  }
  readonly voters: readonly {
    readonly names: readonly string[]
    readonly operator: string
    /**
     * The origin at which the daemon asks the voter. Undefined if the daemon can ask none of the published
     * URLs.
     */
    readonly place: { readonly origin: string } | undefined
  }[]
}

/** The reply of one voter that had arrived when the quorum agreed. */
export interface HeardVote {
  /** `value`, `refusal`, `abstention`, or the kind of a fault. */
  readonly outcome: string
  /** Whether the reply belongs to the votes that agreed. */
  readonly agrees: boolean
  /** SHA-256 of the body's bytes, base64url. Undefined if the reply is no vote, or if its bytes are not known. */
  readonly digest: string | undefined
  /** The milliseconds from the arrival of the reply to the agreement. */
  readonly agoMs: number
}

/**
 * The replies that voters had given when the quorum agreed on an answer, for receipts. Exists only if receipts are
 * signed, and only in memory.
 */
export interface AnswerProvenance {
  /** The rule that decided, as a sentence. */
  readonly rule: string
  readonly electors: Electors
  /** The reply of each voter, in the order of `electors.voters`. Undefined for a voter whose reply had not arrived. */
  readonly heard: readonly (HeardVote | undefined)[]
}
