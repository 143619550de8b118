import type { Submission } from '../ledger/command.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Micros } from '../ledger/value.ts'
import type { Rules } from '../names/cached-rules.ts'
import type { Logger } from '../telemetry/logger.ts'

/** One duty of automation: it reads the ledger, and returns the submissions that are needed now. */
export interface Duty {
  readonly name: string
  /**
   * The templates (`Module.Path:Entity`) that wake the duty: when a contract of such a template is created, the duty is
   * queued to run.
   */
  readonly wokenBy: readonly string[]
  /**
   * Yields the submissions that are needed at the time `now`, in batches. The submissions of one batch do not
   * depend on each other and are submitted together. The caller requests a batch only when all submissions of
   * the previous batch have an outcome.
   */
  batches(now: Micros): AsyncIterable<readonly Submission[]>
}

export type DutyLedger = Pick<Ledger, 'contract' | 'contracts' | 'entries' | 'due' | 'setting'>

export interface DutyDeps {
  readonly ledger: DutyLedger
  readonly rules: Rules
  /** The part of every name after its last dot, in lower case: `cns`. */
  readonly acronym: string
  readonly logger: Logger
}

/** The maximum number of contracts of one template that a duty handles in one batch. */
export const pageSize = 100
