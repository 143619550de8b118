import { documentUrl } from '../version.ts'
import { EndLevel } from './end-level.ts'
import type { Events } from './events.ts'
import type { TelemetryParts } from './telemetry-parts.ts'

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
