import type { Events } from './events.ts'
import { rosterLines } from './roster-events.ts'
import type { TelemetryParts } from './telemetry-parts.ts'

type DaemonGroup =
  | 'ledgerWritten'
  | 'threadFailed'
  | 'logLinesLost'
  | 'logWrittenAgain'
  | 'listening'
  | 'configurationReloaded'
  | 'configurationKept'
  | 'shuttingDown'
  | 'stopped'
  | 'close'

export function daemonEvents({
  metrics,
  logger,
  limited,
  quietly,
  summary,
}: TelemetryParts): Pick<Events, DaemonGroup> {
  return {
    ledgerWritten: quietly((outcome) => metrics.ledger_writes_total.with({ outcome }).inc()),
    threadFailed: quietly((thread, why) =>
      limited.write('warn', thread, { thread, err: why }, 'a thread of this daemon failed'),
    ),
    logLinesLost: quietly((lines) => metrics.log_lines_lost_total.inc(lines)),
    logWrittenAgain: quietly((linesLost, because) =>
      logger.warn({ linesLost, because }, 'lines of this log were lost'),
    ),
    listening: quietly((addresses) => logger.info({ ...addresses }, 'listening')),
    configurationReloaded: quietly((changes) => {
      const { changed, changesTrust = false, needRestart, overridden = [], warnings } = changes
      const ignored = overridden.length > 0 ? { overridden } : {}
      for (const warning of warnings) logger.warn({}, warning)
      if (changed.length > 0) {
        logger[changesTrust ? 'warn' : 'info']({ changed, ...ignored }, 'the configuration was reloaded')
        for (const message of Object.values(rosterLines)) limited.writeAgain(message)
      } else logger.info(ignored, 'the configuration was read again, and no option that reloads has changed')
      if (needRestart.length > 0)
        logger.warn({ options: needRestart }, 'options have changed that apply only after a restart')
    }),
    configurationKept: quietly((problems) =>
      logger.error({ problems }, 'the configuration was not reloaded, because it has problems'),
    ),
    shuttingDown: quietly((reason, requestsInProgress) =>
      logger.info({ reason, requestsInProgress }, 'shutting down'),
    ),
    stopped: quietly((ms, requestsCut) => {
      const requests = requestsCut === 1 ? 'request' : 'requests'
      const seconds = Math.round(ms / 100) / 10
      logger.info({ seconds, requestsCut }, `stopped after ${seconds} s, ${requestsCut} ${requests} cut`)
    }),
    close: () => summary.stop(),
  }
}
