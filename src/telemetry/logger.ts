import { type DestinationStream, destination, levels, pino, stdTimeFunctions } from 'pino'
import { redactor } from './redact.ts'

/**
 * The lowest level that the log writes. All log lines are between `debug` and `error`, so `trace` means the
 * same as `debug`, and `fatal` the same as `silent`. But a daemon that cannot start writes one line of level
 * `fatal` to standard error, whatever the level is.
 */
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent'

export type Fields = Readonly<Record<string, unknown>>

/** The log as the rest of the program uses it. A log line has a constant message and variable fields. */
export interface Logger {
  /** Whether `debug` currently writes lines. If false, a caller can skip expensive preparation of a line. */
  readonly atDebug: boolean
  debug(fields: Fields, message: string): void
  info(fields: Fields, message: string): void
  warn(fields: Fields, message: string): void
  error(fields: Fields, message: string): void
  child(fields: Fields): Logger
}

/** The settings of a logger that can change while the program runs. */
export interface LoggerSettings {
  readonly level: LogLevel
  /** Strings that must never appear in the log. */
  readonly secrets?: readonly string[]
}

/** A logger whose settings can change. Changes also apply to its children. */
export interface AdjustableLogger extends Logger {
  /** Sets the level, if one is given. Hides the given secrets, in addition to all secrets given before. */
  adjust(settings: Partial<LoggerSettings>): void
  currentLevel(): LogLevel
  /** Whether the log would write fewer lines at the given level than at its present level. */
  isQuieter(level: LogLevel): boolean
}

export interface LoggerOptions extends LoggerSettings {
  /** The version of this program, which is written on each line. */
  readonly version: string
  /** The destination of lines; standard output by default. */
  readonly to?: DestinationStream
}

/**
 * Returns a logger that writes JSON lines: `level`, `time` (ISO 8601, UTC), `service`, `version`, the fields,
 * `msg`. Secrets are removed.
 */
export function createLogger({ level, version, secrets = [], to }: LoggerOptions): AdjustableLogger {
  const lines = linesTo(to ?? destination(1), version)
  const known = new Set(secrets)
  const settings: Settings = { from: severityOf(level), redact: redactor([...known]) }
  let current = level
  const adjust = (next: Partial<LoggerSettings>) => {
    current = next.level ?? current
    settings.from = severityOf(current)
    for (const secret of next.secrets ?? []) known.add(secret)
    settings.redact = redactor([...known])
  }
  return Object.assign(new LevelledLogger(lines, settings), {
    adjust,
    currentLevel: () => current,
    isQuieter: (next: LogLevel) => severityOf(next) > severityOf(current),
  })
}

function linesTo(to: DestinationStream, version: string) {
  return pino(
    {
      // pino itself writes every level here, and `LevelledLogger` checks the level instead. The children of a
      // pino logger would keep the level with which they were created.
      level: 'trace',
      base: { service: 'bft-scan-proxy', version },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: (error: unknown) => error },
    },
    to,
  )
}

/**
 * Returns the log line of level `fatal` for a daemon that cannot start, without a line break. The configured
 * secrets are not known then, so only secrets that `redactor` recognises by their key or their format are
 * removed.
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

type Lines = Pick<ReturnType<typeof pino>, Level | 'child'>
type Level = 'debug' | 'info' | 'warn' | 'error'

/** The settings that a logger shares with its children. */
interface Settings {
  /** The lowest severity that is written, as pino's number for the level. */
  from: number
  redact: ReturnType<typeof redactor>
}

const { debug, info, warn, error } = levels.values as Readonly<Record<Level, number>>

class LevelledLogger implements Logger {
  readonly #lines: Lines
  readonly #settings: Settings

  constructor(lines: Lines, settings: Settings) {
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
 * Appends `_` to each field name that the logger itself uses, such as `level`. Otherwise a key could appear
 * twice in a log line.
 */
function withoutReserved(fields: Fields): Fields {
  if (!reserved.some((key) => key in fields)) return fields
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [reserved.includes(key) ? `${key}_` : key, value]),
  )
}
