import type { Clock } from '../lib/clock.ts'
import type { Member } from './world/dso.ts'
import type { Network } from './world/network.ts'
import type { Registry } from './world/registry.ts'

/** The position of a node in a network: its super validator, and the sources of its knowledge. */
export interface Place {
  /** 0 for `sv-1`. */
  readonly index: number
  readonly member: Member
  readonly network: Network
  readonly registry: Registry
  readonly clock: Clock
}
