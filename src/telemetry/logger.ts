import { type DestinationStream, destination, pino, stdTimeFunctions } from 'pino'
import { redactor } from './redact.ts'

/**
 * The lowest level that is written. This project writes no `trace` or `fatal` lines; pino defines both levels, and here
 * they mean all and none.
 */
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent'

export type Fields = Readonly<Record<string, unknown>>

/** The logging interface of the rest of the program. A line has a constant message and variable fields. */
export interface Logger {
  /** True if `debug` writes anything. Lets callers skip expensive preparation. */
  readonly atDebug: boolean
  debug(fields: Fields, message: string): void
  info(fields: Fields, message: string): void
  warn(fields: Fields, message: string): void
  error(fields: Fields, message: string): void
  /** Returns a logger that adds `fields` to each of its lines. */
  child(fields: Fields): Logger
}

export interface LoggerOptions {
  readonly level: LogLevel
  /** This program's version, on every line. */
  readonly version: string
  /** Texts that must never appear in the log. */
  readonly secrets?: readonly string[]
  /** The destination of lines. Default: standard output. */
  readonly to?: DestinationStream
}

/** Writes JSON lines: `level`, `time` (ISO 8601, UTC), `service`, `version`, the fields, `msg`. Secrets are removed. */
export function createLogger({ level, version, secrets, to }: LoggerOptions): Logger {
  const redact = redactor(secrets)
  const lines = pino(
    {
      level,
      base: { service: 'bft-scan-proxy', version },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: (error: unknown) => error },
    },
    to ?? destination(1),
  )
  return loggerOver(lines, redact)
}

export const silentLogger: Logger = {
  atDebug: false,
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silentLogger,
}

type Lines = Pick<ReturnType<typeof pino>, Level | 'child' | 'isLevelEnabled'>
type Level = 'debug' | 'info' | 'warn' | 'error'

function loggerOver(lines: Lines, redact: ReturnType<typeof redactor>): Logger {
  const clean = (fields: Fields) => withoutReserved(redact(fields) as Fields)
  const at = (level: Level) => (fields: Fields, message: string) => {
    if (lines.isLevelEnabled(level)) lines[level](clean(fields), String(redact(message)))
  }
  return {
    atDebug: lines.isLevelEnabled('debug'),
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => loggerOver(lines.child(clean(fields)), redact),
  }
}

const reserved = ['level', 'time', 'service', 'version', 'msg']

/** Adds a `_` to fields that have the name of a built-in field, because no key may appear twice in a line. */
function withoutReserved(fields: Fields): Fields {
  if (!reserved.some((key) => key in fields)) return fields
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [reserved.includes(key) ? `${key}_` : key, value]),
  )
}
