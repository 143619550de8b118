import type { Params } from '../reads/read.ts'
import type { Comparison, Judgement, Printed, ServedPart } from './judgement.ts'

interface JobOf {
  /** Of a row of the table of reads. */
  readonly readId: string
  readonly params: Params
}

/** What the judge thread is asked. Bytes have a buffer of their own, which is handed over. */
export type JudgeJob =
  | (JobOf & { readonly job: 'judge' | 'compare'; readonly bytes: Uint8Array })
  | (JobOf & { readonly job: 'print'; readonly bodies: readonly Uint8Array[]; readonly choice: ServedPart })

/** A judgement without the value, which stays behind. */
export type Judged =
  | Exclude<Judgement, { kind: 'value' }>
  | (Omit<Extract<Judgement, { kind: 'value' }>, 'value'> & {
      /** SHA-256 of the bytes, base64url. */
      readonly digest: string
      /** The whole value as it is served, where that is not the bytes as they are. */
      readonly printed: Printed | undefined
    })

export type JudgeResult =
  | { readonly job: 'judge'; readonly judged: Judged }
  | { readonly job: 'compare'; readonly comparison: Comparison }
  | { readonly job: 'print'; readonly printed: Printed }
