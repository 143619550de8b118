import { composeReadPath, type ReadPath, type ReadPathOptions } from './compose.ts'
import type { Clock } from './lib/clock.ts'
import { readIds } from './reads/endpoints.ts'
import { createEvents } from './telemetry/create-events.ts'
import type { Events } from './telemetry/events.ts'
import type { Logger } from './telemetry/logger.ts'
import { createMetrics } from './telemetry/metrics.ts'
import { version } from './version.ts'

export interface AloneDeps {
  readonly logger: Logger
  readonly clock: Clock
  /** These handlers run in place of those that write to the log and the metrics. */
  readonly events?: Partial<Events>
}

/**
 * Resolves when the first attempt to learn the super validators has ended, successfully or not. A
 * rejection leaves nothing open.
 */
export async function openReadPath(options: ReadPathOptions, deps: AloneDeps): Promise<ReadPath> {
  const { logger, clock } = deps
  const metrics = createMetrics({ version, reads: readIds })
  const events = { ...createEvents({ metrics, logger, clock }), ...deps.events }
  await using opening = new AsyncDisposableStack()
  opening.defer(() => events.close())
  const path = opening.use(await composeReadPath(options, { events, metrics, clock }))
  await path.discovery.start()
  const opened = opening.move()
  return { ...path, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}
