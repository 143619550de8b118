import type { DrainOutcome } from './quorum-drain.ts'

/** A drain that gave no agreed set of names. */
export type FailedDrain = Exclude<DrainOutcome, { readonly kind: 'agreed' }>

/**
 * Returns the sentence that says why a drain gave no agreed set of names.
 * @param at the record time of the snapshot: milliseconds since 1970.
 * @param most the maximum number of names (`mirror.maxEntries`).
 */
export function drainSentence(outcome: FailedDrain, at: number, most: number): string {
  const asOf = drainedTime(at)
  switch (outcome.kind) {
    case 'not-yet':
      return `Too few super validators have the snapshot of ${asOf} yet. Most have it some minutes after that time.`
    case 'disputed':
      return `The super validators do not agree on the snapshot of ${asOf}.`
    case 'too-many-entries':
      return `The snapshot of ${asOf} has more than ${most} names, which is mirror.maxEntries.`
    case 'too-many-others':
      return `The snapshot of ${asOf} has many more contracts of rules than the two of a network.`
    case 'unreachable':
      return `Too few super validators gave the snapshot of ${asOf}: ${outcome.why}.`
    case 'roster-changed':
      return 'The super validators or the thresholds changed during the drain.'
  }
}

/** Formats the record time of a snapshot in ISO 8601, to the second. */
export function drainedTime(at: number): string {
  return new Date(at).toISOString().replace(/\.000Z$/, 'Z')
}
