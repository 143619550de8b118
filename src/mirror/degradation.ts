/** The reason why the mirror serves nothing. All names are then read live. */
export type Degradation =
  | { readonly kind: 'no-set' }
  | { readonly kind: 'roster' }
  /** `why` is a sentence. */
  | { readonly kind: 'package'; readonly why: string }
  | { readonly kind: 'entries'; readonly most: number }
  | { readonly kind: 'withdrawn'; readonly names: number }
  | { readonly kind: 'unreconciled' }
  | { readonly kind: 'spot-checks' }

/** Returns the sentence for `/status` and the log. */
export function sentenceOf(degradation: Degradation): string {
  switch (degradation.kind) {
    case 'no-set':
      return 'No snapshot is agreed yet.'
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
