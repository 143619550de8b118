import type { Params } from '../reads/read.ts'
import type { Comparison, Judgement, Printed, ServedPart } from './judgement.ts'

interface JobOf {
  /** The id of a row in the table of reads. */
  readonly readId: string
  readonly params: Params
}

/** A job for the judge thread. Each byte array has a buffer of its own, which is transferred. */
export type JudgeJob =
  | (JobOf & { readonly job: 'judge' | 'compare'; readonly bytes: Uint8Array })
  | (JobOf & { readonly job: 'print'; readonly bodies: readonly Uint8Array[]; readonly choice: ServedPart })

/** A judgement without the value, which stays on the judge thread. */
export type Judged =
  | Exclude<Judgement, { kind: 'value' }>
  | (Omit<Extract<Judgement, { kind: 'value' }>, 'value'> & {
      /** SHA-256 of the bytes, base64url. */
      readonly digest: string
      /** The whole value as it is served, if that differs from the original bytes. */
      readonly printed: Printed | undefined
    })

export type JudgeResult =
  | { readonly job: 'judge'; readonly judged: Judged }
  | { readonly job: 'compare'; readonly comparison: Comparison }
  | { readonly job: 'print'; readonly printed: Printed }
