import type { Agreement } from '../cache/agreement.ts'
import { type Clock, type Moment, momentOf } from '../lib/clock.ts'
import type { Case } from '../scan/evidence-log.ts'
import { clockErrorMs } from './clock-error.ts'
import { type Contradicting, contradictionCase } from './contradiction-case.ts'
import type { LedgerTime } from './ledger-time.ts'
import type { MirroredEntry } from './mirrored-entry.ts'
import type { MirroredName, MirroredNames } from './mirrored-names.ts'

export interface ContradictionsDeps {
  readonly clock: Clock
  /** Returns the names that are mirrored now; undefined before the mirror took its first set of names. */
  readonly names: () => MirroredNames | undefined
  readonly time: () => LedgerTime
  /** Files evidence. */
  readonly file: (found: Case) => void
  readonly withdrawn: (names: number) => void
}

/**
 * Handles mirrored entries that a quorum contradicts: counts each contradiction, files evidence, and lets
 * only live reads answer lookups of the contradicted name.
 */
export class Contradictions {
  readonly #keepsQuestions: boolean
  readonly #deps: ContradictionsDeps
  #withdrawn = 0

  constructor(keepsQuestions: boolean, deps: ContradictionsDeps) {
    this.#keepsQuestions = keepsQuestions
    this.#deps = deps
  }

  /** The number of contradictions since the start, except those that a clock error may explain. */
  get withdrawn(): number {
    return this.#withdrawn
  }

  /**
   * Handles a quorum's contradiction of a mirrored entry: from now on, only live reads answer lookups of the
   * name. Counts the contradiction and files it as evidence. Does neither if a clock error may explain it:
   * the quorum found no entry of the name, and the mirrored entry expires very soon (`endsSoon`).
   * @param rule a sentence, without its full stop, that says how the contradiction was found.
   */
  contradicted(row: MirroredName, by: Contradicting, rule: string): void {
    const { clock, file, names, time, withdrawn } = this.#deps
    const moment = momentOf(clock)
    names()?.goLive(row.entry.name, time().reached(moment))
    if (by.entry === undefined && this.#endsSoon(row, moment)) return
    this.#withdrawn++
    withdrawn(1)
    const keepsQuestions = this.#keepsQuestions
    file(contradictionCase(row, by, { wall: moment.wall, keepsQuestions, rule }))
  }

  /**
   * Treats mirrored entries as contradicted (`contradicted`) because a drained snapshot lacks them.
   * @param entries the missing entries, which have not expired.
   * @param agreement the agreement on that snapshot.
   */
  missing(entries: readonly MirroredEntry[], agreement: Agreement): void {
    const names = this.#deps.names()
    const rule = 'the next snapshot lacks a mirrored name that has not expired'
    for (const { name } of entries) {
      const row = names?.find(name)
      if (row !== undefined) this.contradicted(row, { entry: undefined, agreement }, rule)
    }
  }

  endsSoon(row: MirroredName): boolean {
    return this.#endsSoon(row, momentOf(this.#deps.clock))
  }

  #endsSoon({ endsAt }: MirroredName, moment: Moment): boolean {
    return endsAt - this.#deps.time().reached(moment) < clockErrorMs
  }
}
