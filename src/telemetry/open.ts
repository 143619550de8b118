import { isatty } from 'node:tty'
import type { Config } from '../config/resolve.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import { readIds } from '../reads/endpoints.ts'
import { version } from '../version.ts'
import { createEvents } from './create-events.ts'
import type { ConfigurationChanges, Events } from './events.ts'
import { LastHour } from './last-hour.ts'
import { LogOutput } from './log-output.ts'
import { type AdjustableLogger, createLogger, type Logger, type LoggerSettings } from './logger.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import type { Traces } from './traces.ts'

export interface TelemetryOverrides {
  readonly clock?: Clock
  readonly logger?: Logger
  readonly configurationWarnings?: readonly string[]
  /** A process that has begun to collect Node's own metrics cannot stop. */
  readonly processMetrics?: boolean
}

export interface Telemetry extends AsyncDisposable {
  readonly logger: Logger
  /** Undefined if `TelemetryOverrides.logger` is given. */
  readonly logOutput: LogOutput | undefined
  readonly metrics: Metrics
  readonly lastHour: LastHour
  readonly events: Events
  readonly traces: Traces | undefined
  reload(config: Config, changes: ConfigurationChanges | undefined): void
}

export async function openTelemetry(config: Config, overrides: TelemetryOverrides): Promise<Telemetry> {
  const { clock = systemClock, processMetrics = false } = overrides
  await using opened = new AsyncDisposableStack()
  const logOutput = overrides.logger === undefined ? new LogOutput(clock) : undefined
  opened.defer(() => logOutput?.end())
  const ownLogger = logOutput && (await openLogger(config, logOutput))
  const logger = overrides.logger ?? (ownLogger as AdjustableLogger)
  for (const warning of overrides.configurationWarnings ?? []) logger.warn({}, warning)
  const metrics = createMetrics({ version, reads: readIds, processMetrics })
  const lastHour = new LastHour(clock)
  const events = createEvents({ metrics, logger, clock, lastHour })
  logOutput?.tell({ linesLost: events.logLinesLost, writtenAgain: events.logWrittenAgain })
  const traces = await openTraces(config, events)
  if (traces !== undefined) opened.use(traces)
  const held = opened.move()
  let configured = config.logLevel
  return {
    logger,
    logOutput,
    metrics,
    lastHour,
    events,
    traces,
    reload(next, changes) {
      const { level, secrets = [] } = loggerSettings(next)
      const wanted = level === configured ? { secrets } : { secrets, level }
      configured = level
      // The line about the reload is written while the more verbose level applies.
      const isLater = wanted.level !== undefined && ownLogger?.isQuieter(wanted.level) === true
      if (!isLater) ownLogger?.adjust(wanted)
      if (changes !== undefined) events.configurationReloaded(changes)
      if (isLater) ownLogger?.adjust(wanted)
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}

async function openLogger(config: Config, to: LogOutput): Promise<AdjustableLogger> {
  const settings = { ...loggerSettings(config), version, to }
  const format = config.log.format ?? (isatty(1) ? 'pretty' : 'json')
  if (format === 'json') return createLogger(settings)
  const { prettyLines } = await import('./pretty-lines.pino-pretty.ts')
  return createLogger({ ...settings, to: prettyLines(to) })
}

function loggerSettings({ logLevel, cache, auth }: Config): LoggerSettings {
  const secrets = [cache.redis.secret, auth.unsafeSecret].filter((secret) => secret !== undefined)
  return { level: logLevel, secrets }
}

async function openTraces({ traces }: Config, events: Events): Promise<Traces | undefined> {
  const { endpoint } = traces
  if (endpoint === undefined) return undefined
  const { OtelTraces } = await import('./traces.otel.ts')
  return new OtelTraces(
    { ...traces, endpoint, version },
    { lost: (spans, why) => events.spansLost(spans, why) },
  )
}
