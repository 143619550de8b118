import type { DrainLabel, Label } from './label-values.ts'
import { EndLevel } from './limited-log.ts'
import type { TelemetryParts } from './telemetry-parts.ts'

export interface MirrorSetTaken {
  readonly asOf: string
  readonly entries: number
  readonly digest: string
  readonly agreed: readonly string[]
  readonly generation: number
}

/**
 * These outcomes need no warning here. `not-yet` means that too few scans have the snapshot; the
 * mirror tries again. For `package`, `degraded` writes one.
 */
const usual: ReadonlySet<DrainLabel> = new Set(['taken', 'not-yet', 'package'])

export type MirrorTelemetry = ReturnType<typeof mirrorTelemetry>

/**
 * Reports the events of the mirror, which is a local copy of the network's names. Every `why` is a
 * sentence.
 */
export function mirrorTelemetry({ metrics, logger, limited, quietly }: TelemetryParts) {
  const answers = {
    binding: metrics.mirror_answers_total.with({ claim: 'binding' }),
    state: metrics.mirror_answers_total.with({ claim: 'state' }),
  }
  const [names, state, file] = [new EndLevel(), new EndLevel(), new EndLevel()]
  let [isStarted, isRetried] = [false, false]
  return {
    answered: (claim: Label<'claim'>) => answers[claim].inc(),
    taken: quietly((set: MirrorSetTaken) => logger.info({ ...set }, 'the mirror took a set')),
    drained: quietly(
      (
        outcome: DrainLabel,
        { bytes, why }: { readonly bytes: number; readonly why?: string | undefined },
      ) => {
        metrics.mirror_drains_total.with({ outcome }).inc()
        metrics.mirror_received_bytes_total.inc(bytes)
        if (usual.has(outcome)) logger.debug({ outcome, bytes }, 'a snapshot was drained')
        else limited.write('warn', `${outcome} ${why}`, { outcome, why, bytes }, 'the mirror took no set')
      },
    ),
    /**
     * `nextDrain` is the time of the next download of a snapshot, in ISO 8601. `why` says why the
     * last download gave no names. With `isTold`, the log already says what an operator needs.
     */
    planned: quietly((nextDrain: string, isTold: boolean, why?: string) => {
      if (!isStarted) logger.info({ nextDrain }, 'the mirror starts; it drains a snapshot at nextDrain')
      else {
        // Attempts may be 15 s apart, so only the first one is written at `info`.
        const level = isTold || isRetried ? 'debug' : 'info'
        isRetried = true
        logger[level]({ nextDrain, why }, 'the mirror drained no snapshot; it tries again at nextDrain')
      }
      isStarted = true
    }),
    degraded: quietly((why: string) => {
      names.began()
      logger.warn({ why }, 'the mirror serves nothing; all names are read live')
    }),
    restored: quietly(() => logger[names.ended()]({}, 'the mirror serves names')),
    spotChecked: quietly((outcome: Label<'spotCheck'>) => {
      metrics.mirror_spot_checks_total.with({ outcome }).inc()
      if (outcome === 'different') logger.warn({}, 'a spot check contradicts the mirror; see /evidence')
    }),
    /** Reports whether a snapshot equals the names that the mirror had derived from updates. */
    reconciled: quietly((outcome: Label<'reconciliation'>) => {
      metrics.mirror_reconciliations_total.with({ outcome }).inc()
      if (outcome === 'different')
        logger.error(
          {},
          'the followed updates contradict the snapshot; all names are read live; see /evidence',
        )
    }),
    received: (bytes: number) => metrics.mirror_received_bytes_total.inc(bytes),
    /**
     * The mirror has begun to follow updates, so its answers say what the ledger says at present
     * (`claim=state`).
     */
    followed: quietly(() => logger[state.ended()]({}, 'the mirror answers with the state of the ledger')),
    unfollowed: quietly((why: string) => {
      state.began()
      limited.write('warn', why, { why }, 'the mirror does not follow updates')
    }),
    withdrawn: quietly((names: number) => metrics.mirror_withdrawn_entries_total.inc(names)),
    storeFailed: quietly((why: string) => {
      metrics.mirror_file_writable.set(0)
      file.began()
      limited.write('warn', why, { why }, 'the mirror cannot use its file; it goes on in memory')
    }),
    storeWorks: quietly(() => {
      metrics.mirror_file_writable.set(1)
      logger[file.ended()]({}, 'mirror.file is written')
    }),
  }
}
