/** The super validators that could vote on an answer. The type `Roster` has this shape. */
export interface Electors {
  /** A hash of everything that the trust in an answer depends on, such as voters and threshold. */
  readonly trustDigest: string
  readonly membership: {
    readonly dso: string
    readonly synchronizer: string
    readonly members: readonly { readonly name: string }[]
  }
  readonly voters: readonly {
    readonly names: readonly string[]
    readonly operator: string
    readonly place: { readonly origin: string } | undefined
  }[]
}

export interface HeardVote {
  /** `value`, `refusal`, `abstention`, or the kind of a fault. */
  readonly outcome: string
  readonly agrees: boolean
  readonly digest: string | undefined
  readonly agoMs: number
}

/**
 * The replies of voters at the moment when a quorum agreed. Receipts contain them. Redis never
 * stores them.
 */
export interface AnswerProvenance {
  readonly rule: string
  readonly electors: Electors
  readonly heard: readonly (HeardVote | undefined)[]
}
