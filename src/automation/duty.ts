import type { Submission } from '../ledger/command.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Micros } from '../ledger/value.ts'
import type { Rules } from '../names/cached-rules.ts'
import type { Logger } from '../telemetry/logger.ts'

/** A recurring task, which reads the ledger and returns the submissions that are needed now. */
export interface Duty {
  readonly name: string
  /** The templates (`Module.Path:Entity`) whose new contracts queue the duty to run. */
  readonly wokenBy: readonly string[]
  /**
   * The submissions of one batch do not depend on each other and are submitted together. The caller
   * requests a batch only when all submissions of the previous batch have an outcome.
   */
  batches(now: Micros): AsyncIterable<readonly Submission[]>
}

export type DutyLedger = Pick<Ledger, 'contract' | 'contracts' | 'entries' | 'due' | 'setting'>

export interface DutyDeps {
  readonly ledger: DutyLedger
  readonly rules: Rules
  readonly acronym: string
  readonly logger: Logger
}

export const pageSize = 100
