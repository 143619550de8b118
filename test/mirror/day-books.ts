import { isDeepStrictEqual } from 'node:util'
import type { MirroredEntry } from '../../src/mirror/entry.ts'

interface HeldEntry {
  readonly entry: MirroredEntry
  readonly from: number
  until: number
  /** Whether the owner and the DSO archived it before it expired. */
  isWithdrawn: boolean
}

/** The books of a test about the names of a ledger. All times are milliseconds since 1970, and no two updates share one. */
export class NameBooks {
  readonly #held: HeldEntry[] = []
  /** The record time of each update that changed names. */
  readonly times: number[] = []

  /** Enters what one update created and archived. */
  enter(
    at: number,
    {
      created,
      archived = [],
      isWithdrawal = false,
    }: {
      readonly created?: MirroredEntry | undefined
      readonly archived?: readonly MirroredEntry[]
      readonly isWithdrawal?: boolean
    },
  ): void {
    for (const held of this.#held)
      if (archived.some(({ contract_id }) => contract_id === held.entry.contract_id)) {
        held.until = at
        held.isWithdrawn = isWithdrawal
      }
    if (created !== undefined)
      this.#held.push({ entry: created, from: at, until: Number.POSITIVE_INFINITY, isWithdrawn: false })
    this.times.push(at)
  }

  /** Returns the entries that the ledger has after the updates before a time. */
  before(at: number): readonly MirroredEntry[] {
    return this.#held.filter(({ from, until }) => from < at && at <= until).map(({ entry }) => entry)
  }

  /** Returns the entries that the ledger has now. */
  present(): readonly MirroredEntry[] {
    return this.before(Number.MAX_SAFE_INTEGER)
  }

  /** Whether the ledger had this entry, as it is, at some time between two times. */
  had(entry: MirroredEntry, from: number, until: number): boolean {
    return this.#held.some(
      (held) => isDeepStrictEqual(held.entry, entry) && held.from <= until && from <= held.until,
    )
  }

  /** Returns the names that were withdrawn until now. */
  withdrawn(): Set<string> {
    return new Set(this.#held.filter(({ isWithdrawn }) => isWithdrawn).map(({ entry }) => entry.name))
  }
}
