import { documentUrl } from '../version.ts'
import type { Events } from './events.ts'
import type { TelemetryParts } from './telemetry-parts.ts'

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
