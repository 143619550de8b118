import type { Lifetime } from '../cache/answer.ts'
import type { MirrorClaim } from '../cache/as-of.ts'
import type { Clock } from '../lib/clock.ts'
import type { Case } from '../scan/evidence-log.ts'
import type { Roster } from '../scan/roster.ts'
import type { AgreedSet } from './agreed-set.ts'
import type { Degradation } from './degradation.ts'
import type { MirrorStore } from './store.ts'
import type { StreamLevel } from './stream-level.ts'

export interface MirrorOptions {
  readonly maxEntries: number
  /** The time for which callers may cache an answer of level `bindings`. */
  readonly lifetime: Lifetime
  /**
   * Whether evidence includes the parameters of the read (`Case.question`). False does not hide the name,
   * because the bodies in the evidence contain it.
   */
  readonly keepsQuestions: boolean
}

export interface MirrorEvents {
  answered(claim: MirrorClaim): void
  taken(set: AgreedSet, generation: number): void
  degraded(why: Degradation): void
  restored(): void
  /** Evidence was filed for this many mirrored entries that a quorum contradicted. */
  withdrawn(names: number): void
  storeFailed(error: unknown): void
  /**
   * The store has the mirror's whole content again after a failure, or for the first time since the start.
   */
  storeWorks(): void
}

export interface MirrorDeps {
  readonly clock: Clock
  readonly store: MirrorStore
  /** Returns the roster in force; undefined before the first one. */
  readonly roster: () => Roster | undefined
  /** Files evidence. */
  readonly file: (found: Case) => void
  readonly events: MirrorEvents
  /**
   * Answers at level `stream`. If it cannot answer a question, level `bindings` may. Absent if level `stream`
   * is not configured.
   */
  readonly state?: StreamLevel | undefined
}
