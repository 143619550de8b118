import { isatty } from 'node:tty'
import type { Config } from './config/resolve.ts'
import type { AdvancingClock } from './lib/advancing-clock.ts'
import { type Clock, systemClock } from './lib/clock.ts'
import { type Random, systemRandom } from './lib/random.ts'
import { readIds } from './reads/endpoints.ts'
import { createEvents } from './telemetry/create-events.ts'
import type { ConfigurationChanges, Events } from './telemetry/events.ts'
import { LastHour } from './telemetry/last-hour.ts'
import { LogOutput } from './telemetry/log-output.ts'
import { type AdjustableLogger, createLogger, type Logger, type LoggerSettings } from './telemetry/logger.ts'
import { createMetrics, type Metrics } from './telemetry/metrics.ts'
import { version } from './version.ts'

export interface BaseOverrides {
  readonly clock?: Clock
  readonly random?: Random
  readonly logger?: Logger
  readonly configurationWarnings?: readonly string[]
  /** A process that has begun to collect Node's own metrics cannot stop. */
  readonly processMetrics?: boolean
}

export interface Base {
  /** This clock is never moved, not even on a localnet. */
  readonly realClock: Clock
  readonly startedAt: number
  /** Only a localnet has this clock, which an operator can move forward. */
  readonly movable: AdvancingClock | undefined
  /** The age of answers is computed by this clock. */
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  /** Undefined if `BaseOverrides.logger` is given. */
  readonly ownLogger: AdjustableLogger | undefined
  /** Undefined if `BaseOverrides.logger` is given. */
  readonly logOutput: LogOutput | undefined
  readonly metrics: Metrics
  readonly lastHour: LastHour
  readonly events: Events
}

export async function layBase(config: Config, overrides: BaseOverrides): Promise<Base> {
  const { clock: realClock = systemClock, random = systemRandom, processMetrics = false } = overrides
  const startedAt = realClock.now()
  const movable = await advancing(config, realClock)
  const logOutput = overrides.logger === undefined ? new LogOutput(realClock) : undefined
  const ownLogger = logOutput && (await openLogger(config, logOutput))
  const logger = overrides.logger ?? (ownLogger as AdjustableLogger)
  for (const warning of overrides.configurationWarnings ?? []) logger.warn({}, warning)
  const metrics = createMetrics({ version, reads: readIds, processMetrics })
  const lastHour = new LastHour(realClock)
  const events = createEvents({ metrics, logger, clock: realClock, lastHour })
  logOutput?.tell({ linesLost: events.logLinesLost, writtenAgain: events.logWrittenAgain })
  const clock = movable ?? realClock
  const telling = { logger, ownLogger, logOutput, metrics, lastHour, events }
  return { realClock, startedAt, movable, clock, random, ...telling }
}

async function advancing({ network }: Config, clock: Clock): Promise<AdvancingClock | undefined> {
  if (network !== 'localnet') return undefined
  const { AdvancingClock } = await import('./lib/advancing-clock.ts')
  return new AdvancingClock(clock)
}

async function openLogger(config: Config, to: LogOutput): Promise<AdjustableLogger> {
  const settings = { ...loggerSettings(config), version, to }
  const format = config.log.format ?? (isatty(1) ? 'pretty' : 'json')
  if (format === 'json') return createLogger(settings)
  const { prettyLines } = await import('./telemetry/pretty-lines.pino-pretty.ts')
  return createLogger({ ...settings, to: prettyLines(to) })
}

function loggerSettings({ logLevel, cache, auth }: Config): LoggerSettings {
  const secrets = [cache.redis.secret, auth.unsafeSecret].filter((secret) => secret !== undefined)
  return { level: logLevel, secrets }
}

/**
 * If a reload changes the log level, the line about the reload is written while the more verbose
 * level applies.
 */
export function logReload({ logLevel }: Config, { ownLogger, events }: Base) {
  let configured = logLevel
  return (next: Config, changes: ConfigurationChanges | undefined) => {
    const { level, ...secrets } = loggerSettings(next)
    const changed = level === configured ? undefined : level
    configured = level
    const adjust = () => ownLogger?.adjust(changed === undefined ? secrets : { ...secrets, level: changed })
    const isFirst = ownLogger !== undefined && changed !== undefined && ownLogger.isQuieter(changed)
    if (!isFirst) adjust()
    if (changes !== undefined) events.configurationReloaded(changes)
    if (isFirst) adjust()
  }
}
