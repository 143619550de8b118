import type { Clock } from '../lib/clock.ts'
import type { Release, ReleaseName } from './releases.ts'
import type { Member } from './world/dso.ts'
import type { Micros } from './world/instant.ts'
import type { Network } from './world/network.ts'
import type { Registry } from './world/registry.ts'

export interface NodeContext {
  /** The index of the super validator: 0 for `sv-1`. */
  readonly index: number
  readonly member: Member
  readonly network: Network
  readonly registry: Registry
  readonly clock: Clock
}

/** The release of a node, and since when the node runs it. */
export interface RunningRelease extends Release {
  readonly name: ReleaseName
  readonly since: Micros
}
