import { isatty } from 'node:tty'
import { fatalLine } from '../telemetry/logger.ts'
import { version } from '../version.ts'
import { type Print, tellConfig } from './print.ts'

const message = 'bft-scan-proxy cannot start'

type LogFormat = 'json' | 'pretty'

export interface FailedStart {
  readonly at: 'configuration' | 'start'
  readonly problems: readonly string[]
  readonly warnings?: readonly string[]
}

/**
 * An invalid value counts as not configured, because this function also runs when the configuration
 * is wrong.
 */
export function logFormat(configured: unknown): LogFormat {
  if (configured === 'json' || configured === 'pretty') return configured
  return isatty(1) ? 'pretty' : 'json'
}

export function tellFailedStart(
  print: Print,
  { at, problems, warnings = [] }: FailedStart,
  format: LogFormat,
): void {
  if (format === 'pretty') {
    const told = at === 'start' ? problems.map((problem) => `${message}: ${problem}`) : problems
    return tellConfig(print, { warnings, problems: told })
  }
  const fields = { problems, ...(warnings.length > 0 && { warnings }) }
  print.err(fatalLine(fields, message, version))
}
