import { createLogger, type LogLevel } from '../../src/base/telemetry/logger.ts'

export function logLines(level: LogLevel = 'debug', secrets: readonly string[] = []) {
  const written: string[] = []
  const logger = createLogger({
    level,
    version: '1.2.3',
    secrets,
    to: { write: (line) => written.push(line) },
  })
  return {
    logger,
    written,
    lines: () => written.map((line) => JSON.parse(line) as Record<string, unknown>),
  }
}
