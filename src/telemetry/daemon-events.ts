import { documentUrl } from '../lib/version.ts'
import type { Events } from './events.ts'
import { EndLevel } from './limited-log.ts'
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

export function discoveryEvents({
  metrics,
  logger,
  limited,
  quietly,
  roster,
}: TelemetryParts): Pick<Events, 'rosterRefreshed' | 'rosterFileFailed' | 'rosterMissing' | 'seedAnswered'> {
  return {
    rosterRefreshed: quietly((outcome, why) => {
      metrics.roster_refreshes_total.with({ outcome }).inc()
      if (outcome === 'same' || outcome === 'changed') roster.agreed()
      if (outcome === 'same') logger.debug({}, 'the roster is as it was')
      else if (outcome === 'changed') logger.info({}, 'the roster changed')
      else limited.write('warn', `${outcome} ${why}`, { outcome, why }, 'the roster was not refreshed')
    }),
    rosterFileFailed: quietly((problem, why) => {
      const message =
        problem === 'not-written'
          ? 'the roster file was not written; the next start has to ask the seeds'
          : 'the roster file is not used; the seeds are asked'
      limited.write('warn', `${problem} ${why}`, { why }, message)
    }),
    rosterMissing: quietly((why, said) => {
      metrics.roster_refreshes_total.with({ outcome: 'failed' }).inc()
      const hint = `run bft-scan-proxy doctor; ${documentUrl('operating.md#the-first-day')}`
      logger.warn({ why, said, hint }, 'there is no roster yet')
    }),
    seedAnswered: quietly((seed, answer, detail) =>
      logger.debug({ seed, outcome: answer, ...detail }, 'a seed was asked for the roster'),
    ),
  }
}

export function guardEvents({
  metrics,
  logger,
  limited,
  quietly,
}: TelemetryParts): Pick<Events, 'heldUp' | 'floorFileSetAside' | 'floorFileWritable' | 'floorFileInUse'> {
  const lines = {
    newer: 'an agreed answer was older than one before; a newer one was agreed by asking all',
    withdrawn: 'all super validators but f insist on an older answer, and it is served',
    behind: 'an agreed answer is older than one before, and was not served',
  } as const
  const file = new EndLevel()
  return {
    heldUp: quietly((read, outcome, detail) => {
      metrics.older_answers_total.with({ read, outcome }).inc()
      const level = outcome === 'newer' ? 'info' : 'warn'
      limited.write(level, `${read} ${outcome}`, { read, outcome, ...detail }, lines[outcome])
    }),
    floorFileSetAside: quietly((why, path) =>
      logger.error({ why, setAside: path }, 'guard.file is damaged; ages of answers start empty'),
    ),
    floorFileInUse: quietly(() => {
      metrics.floor_file_writable.set(0)
      file.began()
      logger.warn(
        { hint: documentUrl('operating.md#the-file-of-the-rollback-guard') },
        'another daemon has guard.file: its ages of answers were read, new ones are in memory until that daemon ends',
      )
    }),
    floorFileWritable: quietly((isWritable, error) => {
      metrics.floor_file_writable.set(isWritable ? 1 : 0)
      if (isWritable) return logger[file.ended()]({}, 'guard.file is written')
      file.began()
      logger.error({ err: error }, 'guard.file cannot be written; ages of answers are in memory only')
    }),
  }
}
