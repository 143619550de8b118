import type { Case } from '../core/scan/evidence-log.ts'
import type { AgreedSet } from './agreed-set.ts'
import type { DrainReport } from './drain-report.ts'

export type DrainOutcome =
  | {
      readonly kind: 'agreed'
      readonly set: AgreedSet
      readonly report: DrainReport
      /** Undefined if no scan gave another set. */
      readonly evidence: Case | undefined
    }
  | { readonly kind: 'not-yet'; readonly report: DrainReport }
  /** Too few scans know a form of the snapshot that this daemon knows. `why` is a sentence. */
  | { readonly kind: 'path-unknown'; readonly why: string; readonly report: DrainReport }
  | { readonly kind: 'disputed'; readonly report: DrainReport; readonly evidence: Case }
  | { readonly kind: 'too-many-entries'; readonly report: DrainReport }
  | { readonly kind: 'unreachable'; readonly why: string; readonly report: DrainReport | undefined }
  /** The super validators, operators or thresholds changed during the drain. */
  | { readonly kind: 'roster-changed' }

type FailedDrain = Exclude<DrainOutcome, { readonly kind: 'agreed' }>

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
    case 'unreachable':
      return `Too few super validators gave the snapshot of ${asOf}: ${outcome.why}.`
    case 'roster-changed':
      return 'The super validators or the thresholds changed during the drain.'
  }
}

export function drainedTime(at: number): string {
  return new Date(at).toISOString().replace(/\.000Z$/, 'Z')
}
