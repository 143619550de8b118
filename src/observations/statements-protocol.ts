import type { Params } from '../reads/read.ts'
import type { ObservedScope, Stated } from './observed-contracts.ts'

export interface StatementsJob {
  readonly readId: string
  readonly params: Params
  readonly scope: ObservedScope
  readonly bytes: Uint8Array<ArrayBuffer>
}

export type StatedBody = readonly Stated[]
