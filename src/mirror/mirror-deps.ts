import type { Clock } from '../base/lib/clock.ts'
import type { Random } from '../base/lib/random.ts'
import type { MirrorTelemetry } from '../base/telemetry/mirror-events.ts'
import type { Lifetime } from '../core/cache/answer.ts'
import type { Connections } from '../core/scan/connections.ts'
import type { Discovery } from '../core/scan/discovery.ts'
import type { Case, EvidenceLog } from '../core/scan/evidence-log.ts'
import type { JudgeThread } from '../core/scan/judge-thread.ts'
import type { Reader } from '../core/scan/reader.ts'
import type { Roster } from '../core/scan/roster.ts'
import type { MirrorFile } from './mirror-file.ts'
import type { StreamLevel } from './stream-level.ts'

export interface MirrorOptions {
  readonly maxEntries: number
  /** By read id, how long caches keep an answer. */
  readonly times: Readonly<Record<string, { readonly value: Lifetime; readonly absence: Lifetime }>>
  readonly keepsQuestions: boolean
}

export interface MirrorDeps {
  readonly clock: Clock
  /** Absent if the mirror lives in memory only. */
  readonly keptIn?: Pick<MirrorFile, 'load' | 'write'> | undefined
  readonly roster: () => Roster | undefined
  readonly file: (found: Case) => void
  readonly telemetry: Pick<
    MirrorTelemetry,
    'answered' | 'taken' | 'degraded' | 'restored' | 'withdrawn' | 'storeFailed' | 'storeWorks'
  >
  /** Absent at level `bindings`, which follows no updates. */
  readonly state?: StreamLevel | undefined
}

/** The parts of the daemon that `MirrorUpkeep` and its helpers use. */
export interface UpkeepDeps {
  readonly clock: Clock
  /**
   * This clock times the requests to scans. An operator of a localnet may move `clock`, but not
   * this one.
   */
  readonly askClock: Clock
  readonly random: Random
  readonly telemetry: MirrorTelemetry
  readonly discovery: Pick<Discovery, 'roster'>
  readonly connections: Connections
  readonly judge: JudgeThread
  readonly evidence: EvidenceLog
  readonly reader: Reader
}
