import type { Lifetime } from '../cache/answer.ts'
import type { MirrorClaim } from '../cache/as-of.ts'
import type { Clock } from '../lib/clock.ts'
import type { Case } from '../scan/evidence-log.ts'
import type { Roster } from '../scan/roster.ts'
import type { MirrorTelemetry } from '../telemetry/mirror-events.ts'
import type { AgreedSet } from './agreed-set.ts'
import type { ChangeFeed } from './change-feed.ts'
import { type Degradation, sentenceOf } from './degradation.ts'
import type { MirrorFile } from './mirror-file.ts'
import type { StreamLevel } from './stream-level.ts'

export interface MirrorOptions {
  readonly maxEntries: number
  /** By read id, how long caches keep an answer. */
  readonly times: Readonly<Record<string, { readonly value: Lifetime; readonly absence: Lifetime }>>
  readonly keepsQuestions: boolean
}

export interface MirrorEvents {
  answered(claim: MirrorClaim): void
  taken(set: AgreedSet, generation: number): void
  degraded(why: Degradation): void
  restored(): void
  /** A quorum contradicted this many mirrored entries. */
  contradicted(count: number): void
  storeFailed(error: unknown): void
  storeWorks(): void
}

export interface MirrorDeps {
  readonly clock: Clock
  /** Absent if the mirror lives in memory only. */
  readonly keptIn?: Pick<MirrorFile, 'load' | 'write'> | undefined
  readonly roster: () => Roster | undefined
  readonly file: (found: Case) => void
  readonly events: MirrorEvents
  /** Absent at level `bindings`, which follows no updates. */
  readonly state?: StreamLevel | undefined
}

/** Tells what happens to the mirror, and lets the readers of its feed know what ends their streams. */
export function mirrorEvents(telemetry: MirrorTelemetry, feed: ChangeFeed): MirrorEvents {
  return {
    answered: telemetry.answered,
    taken: ({ at, digest, agreement, entries }, generation) =>
      telemetry.taken({
        asOf: new Date(at).toISOString(),
        entries: entries.length,
        digest,
        agreed: agreement.agreed,
        generation,
      }),
    degraded: (why) => {
      telemetry.degraded(sentenceOf(why))
      if (why.kind === 'unreconciled') feed.forget()
      feed.interrupt(sentenceOf(why))
    },
    restored: telemetry.restored,
    contradicted: telemetry.withdrawn,
    storeFailed: (error) => telemetry.storeFailed(error instanceof Error ? error.message : String(error)),
    storeWorks: telemetry.storeWorks,
  }
}
