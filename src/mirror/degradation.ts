/** Why the mirror serves nothing. All names are then read live. */
export type Degradation =
  | { readonly kind: 'no-set' }
  | { readonly kind: 'roster' }
  | { readonly kind: 'package'; readonly version: string }
  | { readonly kind: 'entries'; readonly entries: number; readonly most: number }
  | { readonly kind: 'withdrawn'; readonly names: number }
  | { readonly kind: 'spot-checks' }

/** Returns the sentence for `/status` and the log. */
export function sentenceOf(why: Degradation): string {
  switch (why.kind) {
    case 'no-set':
      return 'no snapshot is agreed yet'
    case 'roster':
      return 'those that agreed on the set are no quorum of the present roster; it is drained again'
    case 'package':
      return `the name service runs ${why.version}, which this release does not know`
    case 'entries':
      return `the snapshot has ${why.entries} names, more than mirror.maxEntries (${why.most})`
    case 'withdrawn':
      return `${why.names} names are missing in the new snapshot although they have not expired; the set was not taken`
    case 'spot-checks':
      return 'two spot checks within an hour contradicted the mirror'
  }
}
