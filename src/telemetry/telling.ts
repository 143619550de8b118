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
  /**
   * Keeps statistics of the last hour: the reads, and the votes and latencies of the roster's super
   * validators. Absent in a program that does not show them.
   */
  readonly lastHour?: LastHour
}

/**
 * Wraps a function that reports an event, so that it never throws. The metric `telemetry_failures_total`
 * counts the exceptions.
 */
export type Quietly = <Args extends unknown[]>(tell: (...args: Args) => void) => (...args: Args) => void

/** The objects with which all events of the daemon (`Events`) are logged and counted. */
export interface Telling extends EventsDeps {
  readonly limited: LimitedLog
  readonly summary: Summary
  /** The current outages of super validators. */
  readonly outages: Outages
  readonly roster: RosterEvents
  readonly quietly: Quietly
}
