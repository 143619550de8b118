import type { SnapshotContract } from '../reads/snapshots.ts'
import { type DsoMember, membersIn } from './dso-member.ts'
import { entryIn } from './entries.ts'
import type { MirroredEntry } from './entry.ts'
import { byContractId, rowOf, type SnapshotRow } from './set-digest.ts'
import { ansEntryTemplate, dsoRulesTemplate, templateOf } from './templates.ts'

/**
 * The most contracts that are no entries: two are rules, of the DSO and of the name service, and more may be there
 * during an upgrade.
 */
const mostOthers = 16

/** A contract of a drain. */
export interface DrainedRow extends SnapshotRow {
  /** Undefined if the contract is no `AnsEntry`. */
  readonly entry: MirroredEntry | undefined
  /** Undefined if the contract is no `DsoRules`, or if its super validators cannot be read. */
  readonly members: readonly DsoMember[] | undefined
}

/** The contracts of one drain by quorum. Equal contracts of several scans are kept once, to save memory. */
export class SharedRows {
  readonly #rows = new Map<string, DrainedRow>()

  of(contract: SnapshotContract): DrainedRow {
    const row = rowOf(contract)
    const known = this.#rows.get(row.text)
    if (known !== undefined) return known
    const template = templateOf(contract)
    const made = {
      ...row,
      entry: template === ansEntryTemplate ? entryIn(contract) : undefined,
      members: template === dsoRulesTemplate ? membersIn(contract.create_arguments) : undefined,
    }
    this.#rows.set(row.text, made)
    return made
  }
}

/** The contracts that one scan gave so far. */
export class SnapshotSet {
  readonly #shared: SharedRows
  readonly #rows = new Map<string, DrainedRow>()
  #entries = 0

  constructor(shared: SharedRows) {
    this.#shared = shared
  }

  /** Returns false, and adds nothing, if the set has a contract with this id. */
  add(contract: SnapshotContract): boolean {
    if (this.#rows.has(contract.contract_id)) return false
    const row = this.#shared.of(contract)
    this.#rows.set(contract.contract_id, row)
    if (row.entry !== undefined) this.#entries++
    return true
  }

  get size(): number {
    return this.#rows.size
  }

  /** Whether the set has more entries than this, or more of the other contracts than any network has. */
  exceeds(maxEntries: number): boolean {
    return this.#entries > maxEntries || this.#rows.size - this.#entries > mostOthers
  }

  find(contractId: string): DrainedRow | undefined {
    return this.#rows.get(contractId)
  }

  /** Returns the rows, sorted by contract id. */
  rows(): readonly DrainedRow[] {
    return byContractId(this.#rows.values())
  }

  /** Returns the entries, sorted by contract id. */
  entries(): readonly MirroredEntry[] {
    return this.rows().flatMap(({ entry }) => entry ?? [])
  }

  /**
   * Returns the super validators of the only `DsoRules` contract that can be read; undefined if there is not exactly
   * one.
   */
  members(): readonly DsoMember[] | undefined {
    const found = [...this.#rows.values()].flatMap(({ members }) => (members === undefined ? [] : [members]))
    return found.length === 1 ? found[0] : undefined
  }
}
