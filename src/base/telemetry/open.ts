import { isatty } from 'node:tty'
import type { Config } from '../config/resolve.ts'
import { AdvancingClock } from '../lib/advancing-clock.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import { type Random, systemRandom } from '../lib/random.ts'
import { version } from '../lib/version.ts'
import type { ConfigurationChanges } from './daemon-events.ts'
import { createEvents, type Events } from './events.ts'
import { LastHour } from './last-hour.ts'
import { LogOutput } from './log-output.ts'
import { type AdjustableLogger, createLogger, type Logger, type LoggerSettings } from './logger.ts'
import { createMetrics } from './metrics.ts'
import type { Traces } from './traces.ts'

export interface BaseOverrides {
  readonly clock?: Clock
  readonly random?: Random
  readonly logger?: Logger
  readonly configurationWarnings?: readonly string[]
  /** A process that has begun to collect Node's own metrics cannot stop. */
  readonly processMetrics?: boolean
}

/** What every part of a daemon may need: the clocks, the log, the metrics, the traces. */
export type Base = Awaited<ReturnType<typeof openBase>>

/** @param reads the ids of all reads, which metrics name */
export async function openBase(config: Config, reads: readonly string[], overrides: BaseOverrides) {
  const { clock: realClock = systemClock, random = systemRandom, processMetrics = false } = overrides
  const startedAt = realClock.now()
  /** Only a localnet has this clock, which an operator can move forward. */
  const movable = config.network === 'localnet' ? new AdvancingClock(realClock) : undefined
  await using opened = new AsyncDisposableStack()
  /** Undefined if `BaseOverrides.logger` is given. */
  const logOutput = overrides.logger === undefined ? new LogOutput(realClock) : undefined
  opened.defer(() => logOutput?.end())
  const ownLogger = logOutput && (await openLogger(config, logOutput))
  const logger = overrides.logger ?? (ownLogger as AdjustableLogger)
  for (const warning of overrides.configurationWarnings ?? []) logger.warn({}, warning)
  const metrics = createMetrics({ version, reads, processMetrics })
  const lastHour = new LastHour(realClock)
  const events = createEvents({ metrics, logger, clock: realClock, lastHour })
  logOutput?.tell({ linesLost: events.logLinesLost, writtenAgain: events.logWrittenAgain })
  const traces = opened.use(await openTraces(config, events))
  /** The age of answers is computed by this clock. `realClock` is never moved. */
  const clock: Clock = movable ?? realClock
  const held = opened.move()
  let configured = config.logLevel
  return {
    startedAt,
    movable,
    clock,
    realClock,
    random,
    logger,
    logOutput,
    metrics,
    lastHour,
    events,
    traces,
    reload(next: Config, changes: ConfigurationChanges | undefined) {
      const { level, secrets = [] } = loggerSettings(next)
      const wanted = level === configured ? { secrets } : { secrets, level }
      configured = level
      const tell = () => changes && events.configurationReloaded(changes)
      if (ownLogger === undefined) tell()
      else ownLogger.adjustAround(wanted, tell)
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
  return new OtelTraces({ ...traces, endpoint, version }, { lost: events.spansLost })
}
