import type { DrainOutcome } from './quorum-drain.ts'

export type FailedDrain = Exclude<DrainOutcome, { readonly kind: 'agreed' }>

export function drainSentence(outcome: FailedDrain, at: number, most: number): string {
  const asOf = drainedTime(at)
  switch (outcome.kind) {
    case 'not-yet':
      return `Too few super validators have the snapshot of ${asOf} yet. Most have it some minutes after that time.`
    case 'path-unknown':
      return outcome.why
    case 'disputed':
      return `The super validators do not agree on the snapshot of ${asOf}.`
    case 'too-many-entries':
      return `The snapshot of ${asOf} has more than ${most} names, which is mirror.maxEntries.`
    case 'too-many-others':
      return `The snapshot of ${asOf} has many DsoRules contracts, of which a network has one.`
    case 'unreachable':
      return `Too few super validators gave the snapshot of ${asOf}: ${outcome.why}.`
    case 'roster-changed':
      return 'The super validators or the thresholds changed during the drain.'
  }
}

export function drainedTime(at: number): string {
  return new Date(at).toISOString().replace(/\.000Z$/, 'Z')
}
