import { createLogger, type LogLevel } from '../../src/telemetry/logger.ts'

/** Makes a logger like the daemon's, whose lines a test can read. */
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
    /** The lines as written, each with its line end. */
    written,
    lines: () => written.map((line) => JSON.parse(line) as Record<string, unknown>),
  }
}
