import type { Clock } from '../lib/clock.ts'
import type { Member } from './world/dso.ts'
import type { World } from './world/world.ts'

/** Where a node stands: which super validator it belongs to, in which world. */
export interface Place {
  /** 0 for `sv-1`. */
  readonly index: number
  readonly member: Member
  readonly world: World
  readonly clock: Clock
}
