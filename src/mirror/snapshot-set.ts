import type { SnapshotContract } from '../reads/snapshots.ts'
import { type DsoMember, membersIn } from './dso-member.ts'
import { entryIn, type MirroredEntry } from './mirrored-entry.ts'
import { byContractId, rowOf, type SnapshotRow } from './set-digest.ts'
import { ansEntryTemplate, dsoRulesTemplate, templateOf } from './templates.ts'

/**
 * The maximum number of contracts in a set besides the entries. Normally there are two: the rules of the DSO
 * and the rules of the name service. During an upgrade there may be more.
 */
const mostOthers = 16

/** A contract that a scan gave in a drain. */
export interface DrainedRow extends SnapshotRow {
  /** The entry; undefined if the contract is no `AnsEntry`. */
  readonly entry: MirroredEntry | undefined
  /**
   * The super validators that a `DsoRules` contract lists; null if they cannot be read. Undefined if the
   * contract is no `DsoRules`.
   */
  readonly members: readonly DsoMember[] | null | undefined
}

/**
 * The contracts that all scans gave in one drain by quorum. To save memory, equal contracts of several scans
 * are kept once.
 */
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
      members: template === dsoRulesTemplate ? (membersIn(contract.create_arguments) ?? null) : undefined,
    }
    this.#rows.set(row.text, made)
    return made
  }
}

/** The contracts that one scan gave so far in its drain. */
export class SnapshotSet {
  readonly #shared: SharedRows
  readonly #rows = new Map<string, DrainedRow>()
  #entries = 0

  constructor(shared: SharedRows) {
    this.#shared = shared
  }

  /** Adds a contract. Returns false, and adds nothing, if the set already has a contract with this id. */
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

  /**
   * Returns which limit the set exceeds: `entries` if it has more than `maxEntries` entries, `others` if it
   * has more than `mostOthers` other contracts. Undefined if it exceeds neither.
   */
  excess(maxEntries: number): 'entries' | 'others' | undefined {
    if (this.#entries > maxEntries) return 'entries'
    return this.#rows.size - this.#entries > mostOthers ? 'others' : undefined
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
   * Returns the super validators in the set's only `DsoRules` contract. Undefined if the set has no such
   * contract or several, or if the contract cannot be read.
   */
  members(): readonly DsoMember[] | undefined {
    const found = [...this.#rows.values()].flatMap(({ members }) => (members === undefined ? [] : [members]))
    return found.length === 1 ? (found[0] ?? undefined) : undefined
  }
}
