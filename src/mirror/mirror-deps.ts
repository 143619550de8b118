import type { Lifetime } from '../cache/answer.ts'
import type { MirrorClaim } from '../cache/as-of.ts'
import type { Clock } from '../lib/clock.ts'
import type { Case } from '../scan/evidence-log.ts'
import type { Roster } from '../scan/roster.ts'
import type { AgreedSet } from './agreed-set.ts'
import type { Degradation } from './degradation.ts'
import type { StateLevel } from './state-level.ts'
import type { MirrorStore } from './store.ts'

export interface MirrorOptions {
  readonly maxEntries: number
  /** The time for which callers may cache an answer. */
  readonly lifetime: Lifetime
  /** Whether evidence keeps the names that it is about. */
  readonly keepsQuestions: boolean
}

export interface MirrorEvents {
  answered(claim: MirrorClaim): void
  taken(set: AgreedSet, generation: number): void
  degraded(why: Degradation): void
  restored(): void
  /** Quorums contradicted this many mirrored names that had not expired. */
  withdrawn(names: number): void
  storeFailed(error: unknown): void
  /** The store can be used: at the start, or again after it failed. */
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
  /** Answers with the state of the ledger where it can; absent at level `bindings`. */
  readonly state?: StateLevel | undefined
}
