import type { Events } from '../../src/base/telemetry/events.ts'
import { createEvents } from '../../src/base/telemetry/events.ts'
import { silentLogger } from '../../src/base/telemetry/logger.ts'
import { createMetrics } from '../../src/base/telemetry/metrics.ts'
import { ManualClock } from '../support/manual-clock.ts'

/** Events that nobody hears of. */
export const silentEvents: Events = createEvents({
  metrics: createMetrics({ version: '0.0.0', reads: [] }),
  logger: silentLogger,
  clock: new ManualClock(),
})
