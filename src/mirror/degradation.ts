/**
 * The reason why the mirror answers nothing, so that the daemon asks super validators about all
 * names.
 */
export type Degradation =
  | { readonly kind: 'no-set' }
  | { readonly kind: 'no-roster' }
  | { readonly kind: 'no-head' }
  | { readonly kind: 'roster' }
  | { readonly kind: 'package'; readonly why: string }
  | { readonly kind: 'entries'; readonly most: number }
  | { readonly kind: 'withdrawn'; readonly names: number }
  | { readonly kind: 'unreconciled' }
  | { readonly kind: 'spot-checks' }

export function sentenceOf(degradation: Degradation): string {
  switch (degradation.kind) {
    case 'no-set':
      return 'No snapshot is agreed yet.'
    case 'no-roster':
      return 'No roster is agreed yet, so the mirror cannot tell whether a quorum agreed on its set.'
    case 'no-head':
      return 'Too few super validators have said how late the ledger is, so a name may have expired.'
    case 'roster':
      return 'Those that agreed on the set are no quorum of the present roster, so it is drained again.'
    case 'package':
      return degradation.why
    case 'entries':
      return `The snapshot has more names than mirror.maxEntries (${degradation.most}).`
    case 'withdrawn':
      return `The new snapshot lacks ${degradation.names} names that have not expired, so it was not taken.`
    case 'unreconciled':
      return 'The updates that were followed and the new snapshot do not come to the same names.'
    case 'spot-checks':
      return 'Two spot checks within an hour contradicted the mirror.'
  }
}

export type SetStop = Exclude<
  Degradation,
  { kind: 'no-set' | 'no-roster' | 'no-head' | 'roster' | 'package' }
>

/**
 * The reasons why the mirror must not answer, although the present super validators support its set of
 * names, and the single names that it must not answer. All are stored, so that they apply after a
 * restart.
 */
export interface Withheld {
  /** This reason applies until the mirror takes the next set of names. */
  readonly stop?: SetStop | undefined
  /**
   * The record time of the snapshot that contradicted the followed updates: milliseconds since
   * 1970. While this field is present, no updates are followed, also if another reason replaces
   * `stop`.
   */
  readonly unreconciledAt?: number | undefined
  /** A sentence that says which version of the name-service package this release does not know. */
  readonly unknownPackage?: string | undefined
  /**
   * Only reads that ask super validators may answer these names. `since` is when that began:
   * milliseconds since 1970.
   */
  readonly live: readonly (readonly [name: string, since: number])[]
}
