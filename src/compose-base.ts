import { isatty } from 'node:tty'
import type { Config } from './config/resolve.ts'
import type { AdvancingClock } from './lib/advancing-clock.ts'
import { type Clock, systemClock } from './lib/clock.ts'
import { type Random, systemRandom } from './lib/random.ts'
import { readIds } from './reads/table.ts'
import { createEvents } from './telemetry/create-events.ts'
import type { ConfigurationChanges, Events } from './telemetry/events.ts'
import { LastHour } from './telemetry/last-hour.ts'
import { type AdjustableLogger, createLogger, type Logger, type LoggerSettings } from './telemetry/logger.ts'
import { createMetrics, type Metrics } from './telemetry/metrics.ts'
import { version } from './version.ts'

export interface BaseOverrides {
  readonly clock?: Clock
  readonly random?: Random
  readonly logger?: Logger
  /** Sentences about settings that are permitted but risky, for the log. */
  readonly configurationWarnings?: readonly string[]
  /**
   * True if the metrics include Node's own metrics of the process. The process cannot stop collecting these
   * later.
   */
  readonly processMetrics?: boolean
}

/** The parts on which everything else in a daemon depends. */
export interface Base {
  /** The clock of the machine, which is never moved. */
  readonly machine: Clock
  /** The time at which the daemon started, as a value of `machine.now()`. */
  readonly startedAt: number
  /** The clock that an operator of the daemon can move forward. Undefined if the network is not a localnet. */
  readonly movable: AdvancingClock | undefined
  /** The clock by which the age of answers is computed. */
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  /** The logger that the daemon made itself. Undefined if `BaseOverrides.logger` is given. */
  readonly own: AdjustableLogger | undefined
  readonly metrics: Metrics
  readonly lastHour: LastHour
  readonly events: Events
}

export async function layBase(config: Config, overrides: BaseOverrides): Promise<Base> {
  const { clock: machine = systemClock, random = systemRandom, processMetrics = false } = overrides
  const startedAt = machine.now()
  const movable = await advancing(config, machine)
  const own = overrides.logger === undefined ? await openLogger(config) : undefined
  const logger = overrides.logger ?? (own as AdjustableLogger)
  for (const warning of overrides.configurationWarnings ?? []) logger.warn({}, warning)
  const { spliceNames } = config.metrics
  const metrics = createMetrics({ version, reads: readIds, spliceNames, processMetrics })
  const lastHour = new LastHour(machine)
  const events = createEvents({ metrics, logger, clock: machine, lastHour })
  const clock = movable ?? machine
  return { machine, startedAt, movable, clock, random, logger, own, metrics, lastHour, events }
}

/** Returns a clock that operators can move forward if the network is a localnet. Returns undefined otherwise. */
async function advancing({ network }: Config, clock: Clock): Promise<AdvancingClock | undefined> {
  if (network !== 'localnet') return undefined
  const { AdvancingClock } = await import('./lib/advancing-clock.ts')
  return new AdvancingClock(clock)
}

/**
 * Makes the logger. Without a configured format, a log that goes to a terminal has the format for people. The module of
 * that format is imported only if the format is used.
 */
async function openLogger(config: Config): Promise<AdjustableLogger> {
  const settings = { ...loggerSettings(config), version }
  const format = config.log.format ?? (isatty(1) ? 'pretty' : 'json')
  if (format === 'json') return createLogger(settings)
  const { prettyLines } = await import('./telemetry/pretty-lines.pino-pretty.ts')
  return createLogger({ ...settings, to: prettyLines() })
}

function loggerSettings({ logLevel, cache, auth }: Config): LoggerSettings {
  const secrets = [cache.redis.secret, auth.unsafeSecret].filter((secret) => secret !== undefined)
  return { level: logLevel, secrets }
}

/**
 * Returns a function that applies the options of the log after a reload. If the log level changes, the line
 * about the changes is written while the more verbose of the two levels applies.
 */
export function logReload({ logLevel }: Config, { own, events }: Base) {
  let configured = logLevel
  return (next: Config, changes: ConfigurationChanges | undefined) => {
    const { level, ...secrets } = loggerSettings(next)
    const changed = level === configured ? undefined : level
    configured = level
    const adjust = () => own?.adjust(changed === undefined ? secrets : { ...secrets, level: changed })
    const isFirst = own !== undefined && changed !== undefined && own.isQuieter(changed)
    if (!isFirst) adjust()
    if (changes !== undefined) events.configurationReloaded(changes)
    if (isFirst) adjust()
  }
}
