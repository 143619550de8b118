import type { Clock } from '../base/lib/clock.ts'
import type { MaybePromise } from '../base/lib/maybe-promise.ts'
import type { Release, ReleaseName } from './releases.ts'
import type { Reply } from './reply.ts'
import type { Micros } from './world/contract.ts'
import type { Member } from './world/network.ts'
import type { SeenNetwork } from './world/node-view.ts'
import type { View } from './world/view.ts'

export interface NodeContext {
  /** The index of the super validator: 0 for `sv-1`. */
  readonly index: number
  readonly member: Member
  readonly network: SeenNetwork
  readonly clock: Clock
}

/** The release of a node, and since when the node runs it. */
export interface RunningRelease extends Release {
  readonly name: ReleaseName
  readonly since: Micros
}

export interface NodeRequest {
  /** The last argument in the path, decoded; empty if the path has none. */
  readonly lastArgument: string
  readonly args: readonly string[]
  readonly query: URLSearchParams
  readonly contentType: string | undefined
  readonly body: string
  readonly uri: string
  readonly member: Member
  readonly release: RunningRelease
  uptimeMs(): number
}

export type Answer = (view: View, question: NodeRequest) => MaybePromise<Reply>
