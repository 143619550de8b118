import type { Params } from '../reads/read.ts'
import type { ObservedScope, Stated } from './observed-contracts.ts'

/**
 * The message to the thread: a long reply to a read of the rules contracts. The thread searches the reply for
 * statements.
 */
export interface StatementsJob {
  readonly readId: string
  readonly params: Params
  readonly scope: ObservedScope
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** The message that the thread sends back: the statements in the reply. */
export type StatedBody = readonly Stated[]
