import { canonicalJson } from '../lib/canonical-json.ts'
import { compareCodePoints } from '../reads/code-points.ts'
import type { SnapshotContract } from '../reads/snapshots.ts'
import { type DsoMember, membersIn } from './dso-member.ts'
import { entryIn, type MirroredEntry } from './mirrored-entry.ts'
import { byContractId, type SnapshotRow } from './set-digest.ts'
import { ansEntryTemplate, templateOf } from './templates.ts'

/**
 * The largest number of contracts besides the entries. Normally a snapshot has one such contract:
 * the rules of the DSO. During an upgrade there may be more.
 */
const mostOthers = 16

export interface DrainedRow extends SnapshotRow {
  readonly entry: MirroredEntry | undefined
  /**
   * The super validators that a `DsoRules` contract lists; null if they cannot be read, and
   * undefined for other contracts.
   */
  readonly members: readonly DsoMember[] | null | undefined
}

/**
 * Reduces a contract to what answers of the mirror are made of. Scans vote on this alone: other
 * fields may differ between honest scans, such as the update that created an imported contract, or
 * the text of a decimal in another release.
 */
export function rowOf(contract: SnapshotContract): DrainedRow {
  const { contract_id } = contract
  if (templateOf(contract) === ansEntryTemplate) {
    const entry = entryIn(contract)
    const text = canonicalJson({ contract_id, ...entry })
    return { contractId: contract_id, text, entry, members: undefined }
  }
  const members = membersIn(contract.create_arguments) ?? null
  const sorted = members
    ?.map(({ party, name }) => [party, name])
    .sort(([a = ''], [b = '']) => compareCodePoints(a, b))
  const text = canonicalJson({ contract_id, members: sorted ?? null })
  return { contractId: contract_id, text, entry: undefined, members }
}

/** Stores a contract only once if several scans sent it, to save memory. */
export class SharedRows {
  readonly #rows = new Map<string, DrainedRow>()

  of(contract: SnapshotContract): DrainedRow {
    const row = rowOf(contract)
    const known = this.#rows.get(row.text)
    if (known !== undefined) return known
    this.#rows.set(row.text, row)
    return row
  }
}

/** The contracts of one snapshot that one scan has sent so far. */
export class SnapshotSet {
  readonly #shared: SharedRows
  readonly #rows = new Map<string, DrainedRow>()
  #entries = 0

  constructor(shared: SharedRows) {
    this.#shared = shared
  }

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

  excess(maxEntries: number): 'entries' | 'others' | undefined {
    if (this.#entries > maxEntries) return 'entries'
    return this.#rows.size - this.#entries > mostOthers ? 'others' : undefined
  }

  find(contractId: string): DrainedRow | undefined {
    return this.#rows.get(contractId)
  }

  rows(): readonly DrainedRow[] {
    return byContractId(this.#rows.values())
  }

  entries(): readonly MirroredEntry[] {
    return this.rows().flatMap(({ entry }) => entry ?? [])
  }

  /**
   * Returns the super validators that the `DsoRules` contract lists. Undefined if the set has no
   * such contract, several of them, or one that cannot be read.
   */
  members(): readonly DsoMember[] | undefined {
    const found = [...this.#rows.values()].flatMap(({ members }) => (members === undefined ? [] : [members]))
    return found.length === 1 ? (found[0] ?? undefined) : undefined
  }
}
