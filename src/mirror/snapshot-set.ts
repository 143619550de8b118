import { byContractId, rowOf, SetDigest, type SnapshotRow } from './set-digest.ts'
import type { SnapshotContract } from './snapshot-contract.ts'
import { ansEntryTemplate, templateOf } from './templates.ts'

/** Contracts that are no entries: the rules of the DSO and of the name service, and a few more during an upgrade. */
const mostOthers = 16

/** The contracts of one drain. Equal contracts of several scans are kept once. */
export class SharedRows {
  readonly #rows = new Map<string, SnapshotRow>()

  of(contract: SnapshotContract): SnapshotRow {
    const row = rowOf(contract)
    const known = this.#rows.get(row.text)
    if (known !== undefined) return known
    this.#rows.set(row.text, row)
    return row
  }
}

/** The contracts that one scan gave so far. */
export class SnapshotSet {
  readonly #shared: SharedRows
  readonly #rows = new Map<string, SnapshotRow>()
  #entries = 0

  constructor(shared: SharedRows) {
    this.#shared = shared
  }

  /** Returns false, and adds nothing, if the set has a contract with this id. */
  add(contract: SnapshotContract): boolean {
    if (this.#rows.has(contract.contract_id)) return false
    this.#rows.set(contract.contract_id, this.#shared.of(contract))
    if (templateOf(contract) === ansEntryTemplate) this.#entries++
    return true
  }

  get size(): number {
    return this.#rows.size
  }

  /** Whether the set has more entries than this, or more of the other contracts than any network has. */
  exceeds(maxEntries: number): boolean {
    return this.#entries > maxEntries || this.#rows.size - this.#entries > mostOthers
  }

  find(contractId: string): SnapshotRow | undefined {
    return this.#rows.get(contractId)
  }

  /** The rows by contract id. */
  rows(): readonly SnapshotRow[] {
    return byContractId(this.#rows.values())
  }

  digest(): string {
    const digest = new SetDigest()
    for (const row of this.rows()) digest.add(row)
    return digest.end()
  }

  /** Parses the contracts. */
  *contracts(): Generator<SnapshotContract> {
    for (const { text } of this.#rows.values()) yield JSON.parse(text) as SnapshotContract
  }
}
