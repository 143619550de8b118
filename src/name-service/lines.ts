import type { Fields, Logger } from '../telemetry/logger.ts'

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly fields: Fields
  readonly message: string
}

export function loggerTo(send: (line: LogLine) => void, more: Fields = {}): Logger {
  const at = (level: LogLine['level']) => (fields: Fields, message: string) =>
    send({
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
    child: (fields) => loggerTo(send, { ...more, ...fields }),
  }
}

export function logLine(logger: Logger, { level, fields, message }: LogLine): void {
  logger[level](fields, message)
}

/** An error object would lose its class and its name when it is sent to another thread. */
function plain(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { name: type, message, stack } = error
  return { type, message, stack }
}
