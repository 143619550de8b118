import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { RunningRelease } from './node-context.ts'
import type { Reply } from './reply.ts'
import type { Member } from './world/dso.ts'
import type { View } from './world/view.ts'

export interface NodeRequest {
  /** The last argument in the path, decoded; empty if the path has none. */
  readonly lastArgument: string
  readonly args: readonly string[]
  readonly query: ReadonlyMap<string, string>
  all(name: string): readonly string[]
  readonly contentType: string | undefined
  readonly body: string
  readonly uri: string
  readonly member: Member
  readonly release: RunningRelease
  uptimeMs(): number
}

export type Answer = (view: View, question: NodeRequest) => MaybePromise<Reply>
