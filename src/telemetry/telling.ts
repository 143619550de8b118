import type { Clock } from '../lib/clock.ts'
import type { LastHour } from './last-hour.ts'
import type { LimitedLog } from './limited-log.ts'
import type { Logger } from './logger.ts'
import type { Metrics } from './metrics.ts'
import type { Outages } from './outages.ts'
import type { RosterEvents } from './roster-events.ts'
import type { Summary } from './summary.ts'

export interface EventsDeps {
  readonly metrics: Metrics
  readonly logger: Logger
  readonly clock: Clock
  /** Receives the roster, its votes and the latency of its answers. */
  readonly lastHour?: LastHour
}

/** Turns exceptions into a metric. */
export type Quietly = <Args extends unknown[]>(tell: (...args: Args) => void) => (...args: Args) => void

/** Dependencies that every group of events shares. */
export interface Telling extends EventsDeps {
  readonly limited: LimitedLog
  readonly summary: Summary
  /** The super validators that give no usable answer now. */
  readonly outages: Outages
  readonly roster: RosterEvents
  readonly quietly: Quietly
}
