import type { Fields, Logger } from '../telemetry/logger.ts'

/** A line for the log, as it crosses from the ledger's thread. */
export interface Line {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly fields: Fields
  readonly message: string
}

/** A log whose lines are said to somebody who writes them. */
export function loggerTo(say: (line: Line) => void, more: Fields = {}): Logger {
  const at = (level: Line['level']) => (fields: Fields, message: string) =>
    say({
      level,
      fields: { ...more, ...fields, ...('err' in fields && { err: plain(fields['err']) }) },
      message,
    })
  return {
    atDebug: false,
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => loggerTo(say, { ...more, ...fields }),
  }
}

/** Writes what was said to the log. */
export function logLine(logger: Logger, said: unknown): void {
  const { level, fields, message } = said as Line
  logger[level](fields, message)
}

/** An error of a class of its own is not itself any more in another thread. */
function plain(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { name: type, message, stack } = error
  return { type, message, stack }
}
