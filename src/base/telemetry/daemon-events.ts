import type { HeldUpOutcome, Label } from './label-values.ts'
import { EndLevel } from './limited-log.ts'
import type { ListeningUrls } from './listening.ts'
import type { Fields } from './logger.ts'
import { rosterLines } from './roster-events.ts'
import type { TelemetryParts } from './telemetry-parts.ts'

export interface ConfigurationChanges {
  readonly changed: readonly string[]
  /**
   * True if a change affects who is trusted, for example the thresholds, the seeds or the keys of
   * tokens.
   */
  readonly changesTrust?: boolean
  readonly needRestart: readonly string[]
  readonly overridden?: readonly string[]
  readonly warnings: readonly string[]
}

export function daemonEvents({ metrics, logger, limited, quietly, summary }: TelemetryParts) {
  return {
    ledgerWritten: quietly((outcome: Label<'write'>) => metrics.ledger_writes_total.with({ outcome }).inc()),
    /** The next work for the thread starts it again. */
    threadFailed: quietly((thread: 'judge' | 'receipts', why: Error) =>
      limited.write('warn', thread, { thread, err: why }, 'a thread of this daemon failed'),
    ),
    logLinesLost: quietly((lines: number) => metrics.log_lines_lost_total.inc(lines)),
    logWrittenAgain: quietly((linesLost: number, because: string) =>
      logger.warn({ linesLost, because }, 'lines of this log were lost'),
    ),
    listening: quietly((addresses: ListeningUrls) =>
      logger.info({ ...addresses, pid: process.pid }, 'listening'),
    ),
    configurationReloaded: quietly((changes: ConfigurationChanges) => {
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
    configurationKept: quietly((problems: readonly string[]) =>
      logger.error({ problems }, 'the configuration was not reloaded, because it has problems'),
    ),
    /** @param reason the name of the signal, or `asked to` if the program itself stops the daemon */
    shuttingDown: quietly((reason: string, requestsInProgress: number) =>
      logger.info({ reason, requestsInProgress }, 'shutting down'),
    ),
    /**
     * No further event follows.
     * @param requestsCut the number of requests that were never answered completely
     */
    stopped: quietly((ms: number, requestsCut: number) => {
      const requests = requestsCut === 1 ? 'request' : 'requests'
      const seconds = Math.round(ms / 100) / 10
      logger.info({ seconds, requestsCut }, `stopped after ${seconds} s, ${requestsCut} ${requests} cut`)
    }),
    close: () => summary.stop(),
  }
}

export function discoveryEvents({ metrics, logger, limited, quietly, roster }: TelemetryParts) {
  const refreshes = new EndLevel()
  const notRefreshed = 'the roster was not refreshed'
  return {
    /**
     * With `held`, the new list of super validators differs so much that the next refresh must
     * confirm it (quorum.md#refreshes).
     */
    rosterRefreshed: quietly((outcome: Label<'refresh'>, why?: string) => {
      metrics.roster_refreshes_total.with({ outcome }).inc()
      if (outcome !== 'same' && outcome !== 'changed') {
        refreshes.began()
        return limited.write('warn', `${outcome} ${why}`, { outcome, why }, notRefreshed)
      }
      roster.agreed()
      limited.writeAgain(notRefreshed)
      const level = refreshes.ended()
      if (outcome === 'changed') logger[level]({}, 'the roster changed')
      else logger[level === 'warn' ? 'warn' : 'debug']({}, 'the roster is as it was')
    }),
    /** With `not-used`, the daemon asks the configured seeds instead of believing the file. */
    rosterFileFailed: quietly((problem: 'not-written' | 'not-used', why: string) => {
      const message =
        problem === 'not-written'
          ? 'the roster file was not written; the next start has to ask the seeds'
          : 'the roster file is not used; the seeds are asked'
      limited.write('warn', `${problem} ${why}`, { why }, message)
    }),
    /** @param said how many scans had each outcome, such as `{ refused: 12, 'timed-out': 1 }` */
    rosterMissing: quietly((why: string, said: Readonly<Record<string, number>>) => {
      metrics.roster_refreshes_total.with({ outcome: 'failed' }).inc()
      const hint = 'run bft-scan-proxy doctor; docs/operating.md#the-first-day'
      logger.warn({ why, said, hint }, 'there is no roster yet')
    }),
    seedAnswered: quietly((seed: string, outcome: string, detail: string) =>
      logger.debug({ seed, outcome, detail }, 'a seed was asked for the roster'),
    ),
  }
}

export function guardEvents({ metrics, logger, limited, quietly }: TelemetryParts) {
  const lines = {
    newer: 'an agreed answer was older than one before; a newer one was agreed by asking all',
    withdrawn: 'all super validators but f insist on an older answer, and it is served',
    behind: 'an agreed answer is older than one before, and was not served',
  } as const
  const file = new EndLevel()
  return {
    /** Reports an agreed answer that was older than one served before (quorum.md#never-back). */
    heldUp: quietly((read: string, outcome: HeldUpOutcome, detail?: Fields) => {
      metrics.older_answers_total.with({ read, outcome }).inc()
      const level = outcome === 'newer' ? 'info' : 'warn'
      limited.write(level, `${read} ${outcome}`, { read, outcome, ...detail }, lines[outcome])
    }),
    /** `guard.file`, which has the ages of served answers, was damaged and renamed to `path`. */
    floorFileSetAside: quietly((why: string, path: string) =>
      logger.error({ why, setAside: path }, 'guard.file is damaged; ages of answers start empty'),
    ),
    /** Another daemon uses `guard.file`. This daemon takes the file over when the other one ends. */
    floorFileInUse: quietly(() => {
      metrics.floor_file_writable.set(0)
      file.began()
      logger.warn(
        { hint: 'docs/operating.md#the-file-of-the-rollback-guard' },
        'another daemon has guard.file: its ages of answers were read, new ones are in memory until that daemon ends',
      )
    }),
    floorFileWritable: quietly((isWritable: boolean, error?: unknown) => {
      metrics.floor_file_writable.set(isWritable ? 1 : 0)
      if (isWritable) return logger[file.ended()]({}, 'guard.file is written')
      file.began()
      logger.error({ err: error }, 'guard.file cannot be written; ages of answers are in memory only')
    }),
  }
}
