import { type DestinationStream, levels, pino, stdTimeFunctions } from 'pino'
import type { logLevels } from '../config/flags.ts'
import { plainJson } from '../lib/plain-text.ts'
import { redactor } from './redact.ts'

/**
 * All lines are between `debug` and `error`, so `trace` means `debug`, and `fatal` means `silent`.
 * But a daemon that cannot start writes one line of level `fatal`, whatever the level is.
 */
export type LogLevel = (typeof logLevels)[number]

export type Fields = Readonly<Record<string, unknown>>

/**
 * The log as the rest of the program uses it. A line has a constant message and variable fields.
 */
export interface Logger {
  /** True if `debug` writes lines. If false, a caller can skip costly preparation of a line. */
  readonly atDebug: boolean
  debug(fields: Fields, message: string): void
  info(fields: Fields, message: string): void
  warn(fields: Fields, message: string): void
  error(fields: Fields, message: string): void
  child(fields: Fields): Logger
}

export interface LoggerSettings {
  readonly level: LogLevel
  /** These strings must never appear in the log. */
  readonly secrets?: readonly string[]
}

/** Changes of the settings also apply to the children of this logger. */
export interface AdjustableLogger extends Logger {
  adjust(settings: Partial<LoggerSettings>): void
  currentLevel(): LogLevel
  /** Adjusts the log, and calls `write` while the more verbose one of the two levels applies. */
  adjustAround(settings: Partial<LoggerSettings>, write: () => void): void
}

export interface LoggerOptions extends LoggerSettings {
  readonly version: string
  readonly to: DestinationStream
}

/**
 * Writes JSON lines: `level`, `time` (ISO 8601, UTC), `service`, `version`, the fields, `msg`.
 * Secrets are removed.
 */
export function createLogger({ level, version, secrets = [], to }: LoggerOptions): AdjustableLogger {
  const settings = { level: 'silent', secrets: [], from: 0, redact: redactor() } as const
  const logger = new LevelledLogger(linesTo(to, version), { ...settings })
  logger.adjust({ level, secrets })
  return logger
}

function linesTo(to: DestinationStream, version: string) {
  return pino(
    {
      // pino writes every level, and `LevelledLogger` filters the lines before. The children of a
      // pino logger would keep the level at which they were created.
      level: 'trace',
      base: { service: 'bft-scan-proxy', version },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: (error: unknown) => error },
      hooks: { streamWrite: plainJson },
    },
    to,
  )
}

/**
 * The configured secrets are unknown when a daemon cannot start. Only secrets that `redactor`
 * recognises by their key or format are removed.
 */
export function fatalLine(fields: Fields, message: string, version: string): string {
  let written = ''
  const write = (line: string) => {
    written += line
  }
  linesTo({ write }, version).fatal(redactor([])(fields) as Fields, message)
  return written.trimEnd()
}

export const silentLogger: Logger = {
  atDebug: false,
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silentLogger,
}

type Lines = Pick<ReturnType<typeof pino>, LoggedLevel | 'child'>
type LoggedLevel = 'debug' | 'info' | 'warn' | 'error'

interface LevelSettings extends Required<LoggerSettings> {
  level: LogLevel
  secrets: readonly string[]
  from: number
  redact: ReturnType<typeof redactor>
}

const { debug, info, warn, error } = levels.values as Readonly<Record<LoggedLevel, number>>

class LevelledLogger implements AdjustableLogger {
  readonly #lines: Lines
  readonly #settings: LevelSettings

  constructor(lines: Lines, settings: LevelSettings) {
    this.#lines = lines
    this.#settings = settings
  }

  get atDebug(): boolean {
    return debug >= this.#settings.from
  }

  debug(fields: Fields, message: string): void {
    if (debug >= this.#settings.from) this.#lines.debug(...this.#cleaned(fields, message))
  }

  info(fields: Fields, message: string): void {
    if (info >= this.#settings.from) this.#lines.info(...this.#cleaned(fields, message))
  }

  warn(fields: Fields, message: string): void {
    if (warn >= this.#settings.from) this.#lines.warn(...this.#cleaned(fields, message))
  }

  error(fields: Fields, message: string): void {
    if (error >= this.#settings.from) this.#lines.error(...this.#cleaned(fields, message))
  }

  child(fields: Fields): Logger {
    return new LevelledLogger(this.#lines.child(this.#cleaned(fields, '')[0]), this.#settings)
  }

  adjust({ level, secrets = [] }: Partial<LoggerSettings>): void {
    const settings = this.#settings
    settings.level = level ?? settings.level
    settings.from = severityOf(settings.level)
    settings.secrets = [...new Set([...settings.secrets, ...secrets])]
    settings.redact = redactor(settings.secrets)
  }

  currentLevel(): LogLevel {
    return this.#settings.level
  }

  adjustAround(next: Partial<LoggerSettings>, write: () => void): void {
    const isLater = next.level !== undefined && severityOf(next.level) > this.#settings.from
    if (!isLater) this.adjust(next)
    write()
    if (isLater) this.adjust(next)
  }

  #cleaned(fields: Fields, message: string): [Fields, string] {
    const { redact } = this.#settings
    return [withoutReserved(redact(fields) as Fields), String(redact(message))]
  }
}

function severityOf(level: LogLevel): number {
  return levels.values[level] ?? Number.POSITIVE_INFINITY
}

const reserved = ['level', 'time', 'service', 'version', 'msg']

/**
 * A field with the name of one of the logger's own fields, such as `level`, becomes `level_`.
 * Otherwise the key would appear twice in a line.
 */
function withoutReserved(fields: Fields): Fields {
  if (!reserved.some((key) => key in fields)) return fields
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [reserved.includes(key) ? `${key}_` : key, value]),
  )
}
