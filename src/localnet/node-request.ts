import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { Reply } from './reply.ts'
import type { Member } from './world/dso.ts'
import type { View } from './world/view.ts'

/** What was asked of a node, and which node it is. */
export interface NodeRequest {
  /** The last decoded path segment that the read takes; empty where it takes none. */
  readonly argument: string
  /** All that it takes, in order. */
  readonly args: readonly string[]
  readonly query: ReadonlyMap<string, string>
  /** Every value of a query parameter. */
  all(name: string): readonly string[]
  readonly contentType: string | undefined
  readonly body: string
  /** The whole address asked. */
  readonly uri: string
  readonly member: Member
  uptimeMs(): number
}

export type Answer = (view: View, question: NodeRequest) => MaybePromise<Reply>
