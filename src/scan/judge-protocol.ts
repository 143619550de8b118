import type { FaultKind } from '../errors/fault-kinds.ts'
import type { PageToken, Params } from '../reads/read.ts'
import type { SnapshotAsked } from '../reads/snapshot-page.ts'
import type { UpdateItem } from '../reads/update-items.ts'
import type { Comparison, JudgedValue, Judgement, Printed, ServedPart } from './judgement.ts'
import type { Membership } from './membership.ts'

interface JobOf {
  readonly readId: string
  readonly params: Params
}

/**
 * A job for the judge thread.
 * - `roster`: judges the three bodies of `membershipReads`, and combines their values.
 * - `page`: reads a page of a snapshot for the mirror.
 * - `set`: makes the digest of a snapshot from the hashes of its rows.
 * - `updates`: reads the changes that concern the mirror in a page of updates.
 */
export type JudgeJob =
  | (JobOf & { readonly job: 'judge' | 'compare'; readonly bytes: Uint8Array })
  | (JobOf & { readonly job: 'print'; readonly bodies: readonly Uint8Array[]; readonly choice: ServedPart })
  | { readonly job: 'roster' | 'set'; readonly bodies: readonly Uint8Array[] }
  | { readonly job: 'page'; readonly bytes: Uint8Array; readonly asked: SnapshotAsked }
  | { readonly job: 'updates'; readonly bytes: Uint8Array }

export type JudgedBody =
  | Exclude<Judgement, { kind: 'value' }>
  | (JudgedValue & {
      readonly digest: string
      /**
       * The whole value as JSON. Undefined if the daemon may serve the bytes of the body unchanged.
       */
      readonly printed: Printed | undefined
    })

export type JudgedPage =
  | {
      readonly kind: 'page'
      /** The rows as JSON (`SnapshotRow`). */
      readonly rows: Uint8Array
      /** The SHA-256 of each row's text (`textOf`), one after another. */
      readonly hashes: Uint8Array
      readonly entries: number
      readonly others: number
      readonly next: PageToken | undefined
    }
  | { readonly kind: 'fault'; readonly fault: FaultKind }

/**
 * A sentence if the values of the three bodies do not fit together; or the reply for the first body
 * without a value, and its place.
 */
export type JudgedRoster =
  | Membership
  | string
  | { readonly at: number; readonly reply: Exclude<Judgement, { kind: 'value' }> }

export interface JudgedSet {
  /** Whether the set has a row twice. */
  readonly isRepeated: boolean
  /** The SHA-256, in base64url, of the sorted SHA-256s of all rows. */
  readonly digest: string
}

export type JudgeResult =
  | { readonly job: 'judge'; readonly judged: JudgedBody }
  | { readonly job: 'compare'; readonly comparison: Comparison }
  | { readonly job: 'print'; readonly printed: Printed }
  | { readonly job: 'roster'; readonly judged: JudgedRoster }
  | { readonly job: 'page'; readonly page: JudgedPage }
  | { readonly job: 'set'; readonly set: JudgedSet }
  | { readonly job: 'updates'; readonly items: readonly UpdateItem[] }
  | { readonly job: 'failed'; readonly why: string }
