import type { DrainLabel, SpotCheckLabel } from './catalogue.ts'
import type { Telling } from './telling.ts'

/** A set that the mirror took. */
export interface MirrorSetTaken {
  /** ISO 8601. */
  readonly asOf: string
  readonly entries: number
  readonly digest: string
  readonly agreed: readonly string[]
  readonly generation: number
}

/** What happens in the mirror of names. Sentences say why. */
export interface MirrorTelemetry {
  /** An answer came from the mirror. */
  answered(): void
  taken(set: MirrorSetTaken): void
  /** An attempt to take a snapshot ended. */
  drained(outcome: DrainLabel, detail: { readonly bytes: number; readonly why?: string | undefined }): void
  degraded(why: string): void
  restored(): void
  spotChecked(outcome: SpotCheckLabel): void
  /** A snapshot or a live read contradicted this many names before they expired. */
  withdrawn(names: number): void
  /** What the mirror keeps could not be read or written. It goes on in memory. */
  storeFailed(error: unknown): void
}

/** Attempts that end this way are retried before they matter. */
const usual: ReadonlySet<DrainLabel> = new Set(['taken', 'not-yet'])

export function mirrorTelemetry({ metrics, logger, limited, quietly }: Telling): MirrorTelemetry {
  const answers = metrics.mirror_answers_total.with({ claim: 'binding' })
  return {
    answered: () => answers.inc(),
    taken: quietly((set) => logger.info({ ...set }, 'the mirror took a set')),
    drained: quietly((outcome, { bytes, why }) => {
      metrics.mirror_drains_total.with({ outcome }).inc()
      metrics.mirror_received_bytes_total.inc(bytes)
      if (usual.has(outcome)) logger.debug({ outcome, bytes }, 'a snapshot was drained')
      else limited.write('warn', `${outcome} ${why}`, { outcome, why, bytes }, 'the mirror took no set')
    }),
    degraded: quietly((why) => logger.warn({ why }, 'the mirror serves nothing; all names are read live')),
    restored: quietly(() => logger.warn({}, 'the mirror serves names')),
    spotChecked: quietly((outcome) => {
      metrics.mirror_spot_checks_total.with({ outcome }).inc()
      if (outcome === 'different') logger.warn({}, 'a spot check contradicts the mirror; see /evidence')
    }),
    withdrawn: quietly((names) => metrics.mirror_withdrawn_entries_total.inc(names)),
    storeFailed: quietly((error) =>
      limited.write(
        'warn',
        String(error),
        { err: error },
        'the mirror cannot use its file; it goes on in memory',
      ),
    ),
  }
}
