import type { Agreement } from '../cache/agreement.ts'
import { type Clock, type Moment, momentOf } from '../lib/clock.ts'
import type { Case } from '../scan/evidence-log.ts'
import { clockErrorMs } from './clock-error.ts'
import { type Contradicting, contradictionCase } from './contradiction-case.ts'
import type { MirroredEntry } from './entry.ts'
import type { LedgerTime } from './ledger-time.ts'
import type { MirroredName, MirroredNames } from './mirrored-names.ts'

export interface ContradictionsDeps {
  readonly clock: Clock
  /** Returns the names that are mirrored now; undefined before the first set. */
  readonly names: () => MirroredNames | undefined
  readonly time: () => LedgerTime
  /** Files evidence. */
  readonly file: (found: Case) => void
  readonly withdrawn: (names: number) => void
}

/** Leaves the names that a quorum contradicts to live reads, counts them, and files evidence. */
export class Contradictions {
  readonly #keepsQuestions: boolean
  readonly #deps: ContradictionsDeps
  #withdrawn = 0

  constructor(keepsQuestions: boolean, deps: ContradictionsDeps) {
    this.#keepsQuestions = keepsQuestions
    this.#deps = deps
  }

  /** The number of contradictions since the start, without absences of names that were about to expire. */
  get withdrawn(): number {
    return this.#withdrawn
  }

  /** See `Mirror.contradicted`. */
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

  /** Treats the names that a drained snapshot lacks, although they have not expired, as contradicted. */
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
