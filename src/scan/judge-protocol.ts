import type { Params } from '../reads/read.ts'
import type { Comparison, Judgement, Printed, ServedPart } from './judgement.ts'

interface JobOf {
  readonly readId: string
  readonly params: Params
}

/**
 * A job for the judge thread. Its byte arrays must not share their buffers with other data, because
 * whole buffers are transferred to the thread.
 */
export type JudgeJob =
  | (JobOf & { readonly job: 'judge' | 'compare'; readonly bytes: Uint8Array })
  | (JobOf & { readonly job: 'print'; readonly bodies: readonly Uint8Array[]; readonly choice: ServedPart })

export type Judged =
  | Exclude<Judgement, { kind: 'value' }>
  | (Omit<Extract<Judgement, { kind: 'value' }>, 'value'> & {
      readonly digest: string
      /**
       * The whole value as JSON. Undefined if the daemon may serve the bytes of the body unchanged.
       */
      readonly printed: Printed | undefined
    })

export type JudgeResult =
  | { readonly job: 'judge'; readonly judged: Judged }
  | { readonly job: 'compare'; readonly comparison: Comparison }
  | { readonly job: 'print'; readonly printed: Printed }
