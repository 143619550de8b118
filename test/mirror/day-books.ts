import { isDeepStrictEqual } from 'node:util'
import type { MirroredEntry } from '../../src/mirror/mirrored-contracts.ts'

interface HeldEntry {
  readonly entry: MirroredEntry
  readonly from: number
  until: number
  /** Whether the entry was archived before it expired, by its owner and the DSO together. */
  isWithdrawn: boolean
}

/** The true history of a ledger's names. All times are milliseconds since 1970. No two updates have the same time. */
export class NameBooks {
  readonly #held: HeldEntry[] = []
  readonly times: number[] = []

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

  before(at: number): readonly MirroredEntry[] {
    return this.#held.filter(({ from, until }) => from < at && at <= until).map(({ entry }) => entry)
  }

  present(): readonly MirroredEntry[] {
    return this.before(Number.MAX_SAFE_INTEGER)
  }

  had(entry: MirroredEntry, from: number, until: number): boolean {
    return this.#held.some(
      (held) => isDeepStrictEqual(held.entry, entry) && held.from <= until && from <= held.until,
    )
  }

  /** Whether the entry, or a renewal of it, was archived before it expired. */
  isWithdrawn({ contract_id, name }: MirroredEntry): boolean {
    const from = this.#held.find(({ entry }) => entry.contract_id === contract_id)?.from ?? 0
    return this.#held.some(
      ({ entry, until, isWithdrawn }) => isWithdrawn && entry.name === name && until > from,
    )
  }

  withdrawn(): Set<string> {
    return new Set(this.#held.filter(({ isWithdrawn }) => isWithdrawn).map(({ entry }) => entry.name))
  }
}
