/** The super validators that could vote on an answer. A `Roster` is one. */
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
    /** Undefined if none of its published URLs can be asked. */
    readonly place: { readonly origin: string } | undefined
  }[]
}

/** One voter's reply that had arrived when the quorum agreed. */
export interface HeardVote {
  /** `value`, `refusal`, `abstention`, or the kind of a fault. */
  readonly outcome: string
  /** Whether the reply is one of those that agreed. */
  readonly agrees: boolean
  /** SHA-256 of the body's bytes, base64url. Undefined if the reply was no vote, or its own bytes are not known. */
  readonly digest: string | undefined
  /** The milliseconds from the arrival of the reply to the agreement. */
  readonly agoMs: number
}

/** The replies on which an answer rests, for receipts. Only memory keeps it, and only where receipts are signed. */
export interface AnswerProvenance {
  /** The sentence of the rule that decided. */
  readonly rule: string
  readonly electors: Electors
  /** The replies by the number of the voter. Undefined where no reply had arrived. */
  readonly heard: readonly (HeardVote | undefined)[]
}
