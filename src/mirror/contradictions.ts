import type { Agreement } from '../cache/agreement.ts'
import { type Clock, type Moment, momentOf } from '../lib/clock.ts'
import type { MirroredEntry } from '../reads/mirrored-entry.ts'
import type { Case } from '../scan/evidence-log.ts'
import { clockErrorMs } from './clock-error.ts'
import { type Contradicting, contradictionCase } from './contradiction-case.ts'
import type { LedgerTime } from './ledger-time.ts'
import type { MirroredName, MirroredNames } from './mirrored-names.ts'

export interface ContradictionsDeps {
  readonly clock: Clock
  readonly names: () => MirroredNames | undefined
  readonly time: () => LedgerTime
  readonly file: (found: Case) => void
  readonly contradicted: (count: number) => void
}

/**
 * Handles mirrored entries that a quorum contradicts: files evidence, and lets only reads that ask
 * super validators answer these names.
 */
export class Contradictions {
  readonly #keepsQuestions: boolean
  readonly #deps: ContradictionsDeps
  #contradictionCount = 0

  constructor(keepsQuestions: boolean, deps: ContradictionsDeps) {
    this.#keepsQuestions = keepsQuestions
    this.#deps = deps
  }

  get contradictionCount(): number {
    return this.#contradictionCount
  }

  /**
   * Leaves the name to reads that ask super validators. Counts the contradiction and files evidence,
   * except if a clock error may explain it: the quorum found no entry, and the mirrored entry
   * expires within `clockErrorMs`.
   */
  contradicted(row: MirroredName, by: Contradicting, rule: string): void {
    const { clock, file, names, time, contradicted } = this.#deps
    const moment = momentOf(clock)
    names()?.leaveToLiveReads(row.entry.name, time().reached(moment))
    if (by.entry === undefined && this.#endsSoon(row, moment)) return
    this.#contradictionCount++
    contradicted(1)
    const keepsQuestions = this.#keepsQuestions
    file(contradictionCase(row, by, { wall: moment.wall, keepsQuestions, rule }))
  }

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
