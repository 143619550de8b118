import { type DestinationStream, destination, pino, stdTimeFunctions } from 'pino'
import { redactor } from './redact.ts'

/** Lines from this level on are written. Nothing here is a `trace` or `fatal`; they are pino's, and mean all and none. */
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent'

export type Fields = Readonly<Record<string, unknown>>

/** What the rest of the program knows of logging. A line is a message that stays the same and fields that vary. */
export interface Logger {
  /** Whether `debug` writes anything: for those whom it would cost something to tell. */
  readonly atDebug: boolean
  debug(fields: Fields, message: string): void
  info(fields: Fields, message: string): void
  warn(fields: Fields, message: string): void
  error(fields: Fields, message: string): void
  /** A logger that adds `fields` to each of its lines. */
  child(fields: Fields): Logger
}

export interface LoggerOptions {
  readonly level: LogLevel
  /** This program's version, on every line. */
  readonly version: string
  /** What must never be written, wherever it occurs. */
  readonly secrets?: readonly string[]
  /** Where lines go; standard output where it is left out. */
  readonly to?: DestinationStream
}

/** JSON lines: `level`, `time` (ISO 8601, UTC), `service`, `version`, the fields, `msg`; without secrets. */
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

/** Says nothing. */
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

/** Fields named like those of every line get a `_`, since no key may stand in a line twice. */
function withoutReserved(fields: Fields): Fields {
  if (!reserved.some((key) => key in fields)) return fields
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [reserved.includes(key) ? `${key}_` : key, value]),
  )
}
