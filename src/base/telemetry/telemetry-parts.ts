import type { Clock } from '../lib/clock.ts'
import type { LastHour } from './last-hour.ts'
import type { LimitedLog, Summary } from './limited-log.ts'
import type { Logger } from './logger.ts'
import type { Metrics } from './metrics.ts'
import type { Outages } from './outages.ts'
import type { RosterEvents } from './roster-events.ts'

export interface EventsDeps {
  readonly metrics: Metrics
  readonly logger: Logger
  readonly clock: Clock
  readonly lastHour?: LastHour
}

/**
 * Wraps a function so that it never throws. The metric `telemetry_failures_total` counts the
 * exceptions.
 */
export type Quietly = <Args extends unknown[]>(tell: (...args: Args) => void) => (...args: Args) => void

export interface TelemetryParts extends EventsDeps {
  readonly limited: LimitedLog
  readonly summary: Summary
  readonly outages: Outages
  readonly roster: RosterEvents
  readonly quietly: Quietly
}
