import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { Reply } from './reply.ts'
import type { Member } from './world/dso.ts'
import type { View } from './world/view.ts'

/** A request to a node, and the node's super validator. */
export interface NodeRequest {
  /** The last decoded path segment that is an argument; empty if there is none. */
  readonly argument: string
  /** All path segments that are arguments, in order. */
  readonly args: readonly string[]
  readonly query: ReadonlyMap<string, string>
  /** Every value of a query parameter. */
  all(name: string): readonly string[]
  readonly contentType: string | undefined
  readonly body: string
  /** The complete URL of the request. */
  readonly uri: string
  readonly member: Member
  uptimeMs(): number
}

export type Answer = (view: View, question: NodeRequest) => MaybePromise<Reply>
